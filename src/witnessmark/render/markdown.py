"""Differences as Markdown for a job's summary or a comment on a pull request. Pure: no I/O, no clock."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from witnessmark.model.change import Difference
from witnessmark.render.difference import Finding, Place, findings, grade, grouped, next_step, sorted_out
from witnessmark.render.difference_text import GRADES_SAID, marked
from witnessmark.render.escape import line

ROWS: Final = 50
"""Edits in the table of one server: beyond it a summary is no summary; JSON has all."""
TEXTS: Final = 10
"""Texts shown with their changed words."""
TOOLS_NAMED: Final = 3
"""Names of tools that share an edit: as many as fit a cell."""
_MARKS: Final = {"error": "stops", "warning": "stops", "note": "noted"}
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|!~@&])")


def rendered(found: Iterable[Difference], place: Place) -> str:
    """A section for each server and profile, with a final line end."""
    return "\n".join(_section(difference, place) for difference in found)


def _section(difference: Difference, place: Place) -> str:
    lots = sorted_out(difference)
    # What the tool chain left behind is one line below the table, not rows of it.
    left = {(group.change.kind, group.change.fingerprint) for group in grouped(lots.toolchain)}
    shown = [finding for finding in findings(difference) if (finding.kind, finding.fingerprint) not in left]
    lines = [f"### {_text(difference.server)} ({difference.profile}): {difference.verdict}", ""]
    lines += [f"{difference.tools} tools, preset {difference.preset}, compared with {_code(difference.where or place.path)}.", ""]
    if difference.changes:
        lines += [_counted(difference), ""]
    if difference.reason:
        lines += [_text(difference.reason), ""]
    if shown:
        lines += ["| | tool | place | kind | what happened |", "|---|---|---|---|---|"]
        lines += [_row(finding) for finding in shown[:ROWS]]
        if len(shown) > ROWS:
            lines.append(f"| | | | | and {len(shown) - ROWS} more |")
        lines.append("")
    if lots.toolchain:
        kinds = ", ".join(_code(kind) for kind in dict.fromkeys(change.kind for change in lots.toolchain))
        tools = len({change.tool for change in lots.toolchain})
        lines += [f"Toolchain: {len(lots.toolchain)} edits of a schema generator or SDK in {tools} tools ({kinds}).", ""]
    texts = [
        f"- {_tools(group.tools)} {_code(group.change.pointer)}: {_code(marked(group.change.before, group.change.after))}"
        for group in (*lots.stopping, *lots.noted)
        if isinstance(group.change.before, str) and isinstance(group.change.after, str)
    ]
    if texts:
        lines += ["<details><summary>Changed words</summary>", "", *texts[:TEXTS], "", "</details>", ""]
    step = next_step(difference)
    if step:
        lines += [f"Next: {_text(step)}", ""]
    return "\n".join(lines)


def _counted(difference: Difference) -> str:
    counts = dict.fromkeys(GRADES_SAID, 0)
    for change in difference.changes:
        counts[grade(change)] += 1
    return "\n".join(f"- {count} {word}: {GRADES_SAID[word]}" for word, count in counts.items() if count)


def _tools(tools: tuple[str, ...]) -> str:
    more = f" and {len(tools) - TOOLS_NAMED} more" if len(tools) > TOOLS_NAMED else ""
    return ", ".join(_text(tool or "server") for tool in tools[:TOOLS_NAMED]) + more


def _row(finding: Finding) -> str:
    cells = (_MARKS[finding.level], _tools(finding.tools), _code(finding.pointer), _code(finding.kind), _text(finding.message))
    return f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    """Text that is text in Markdown, whatever a peer wrote: no link, no picture, no mention, no table cell."""
    return _SPECIAL.sub(r"\\\1", line(text)).replace("\\@", "&#64;").replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")


def _code(text: str) -> str:
    """Text as code; a back quote inside is another character, so that the code does not end early."""
    return f"`{line(text).replace('`', chr(39)).replace('|', chr(92) + '|')}`" if text else ""
