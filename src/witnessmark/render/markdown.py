"""Differences as Markdown for a job's summary or a comment on a pull request. Pure: no I/O, no clock."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from witnessmark.model.change import Difference
from witnessmark.render.difference import Finding, Place, findings, next_step
from witnessmark.render.difference_text import marked
from witnessmark.render.escape import line

ROWS: Final = 50
"""Edits in the table of one server: beyond it a summary is no summary; JSON has all."""
TEXTS: Final = 10
"""Texts shown with their changed words."""
_MARKS: Final = {"error": "stops", "warning": "stops", "note": "noted"}
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|!~@&])")


def rendered(found: Iterable[Difference], place: Place) -> str:
    """A section for each server and profile, with a final line end."""
    return "\n".join(_section(difference, place) for difference in found)


def _section(difference: Difference, place: Place) -> str:
    shown = findings(difference)
    lines = [f"### {_text(difference.server)} ({difference.profile}): {difference.verdict}", ""]
    lines += [f"{difference.tools} tools, preset {difference.preset}, compared with {_code(difference.where or place.path)}.", ""]
    if difference.reason:
        lines += [_text(difference.reason), ""]
    if shown:
        lines += ["| | tool | place | kind | what happened |", "|---|---|---|---|---|"]
        lines += [_row(finding) for finding in shown[:ROWS]]
        if len(shown) > ROWS:
            lines.append(f"| | | | | and {len(shown) - ROWS} more |")
        lines.append("")
    texts = [
        f"- {_text(change.tool or 'server')} {_code(change.pointer)}: {_code(marked(change.before, change.after))}"
        for change in difference.changes
        if isinstance(change.before, str) and isinstance(change.after, str)
    ]
    if texts:
        lines += ["<details><summary>Changed words</summary>", "", *texts[:TEXTS], "", "</details>", ""]
    step = next_step(difference)
    if step:
        lines += [f"Next: {line(step)}", ""]
    return "\n".join(lines)


def _row(finding: Finding) -> str:
    tools = ", ".join(_text(tool or "server") for tool in finding.tools[:3])
    more = f" and {len(finding.tools) - 3} more" if len(finding.tools) > 3 else ""  # noqa: PLR2004 - as many as fit a cell
    return f"| {_MARKS[finding.level]} | {tools}{more} | {_code(finding.pointer)} | {_code(finding.kind)} | {_text(finding.message)} |"


def _text(text: str) -> str:
    """Text that is text in Markdown, whatever a peer wrote: no link, no picture, no mention, no table cell."""
    return _SPECIAL.sub(r"\\\1", line(text)).replace("\\@", "&#64;").replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")


def _code(text: str) -> str:
    """Text as code; a back quote inside is another character, so that the code does not end early."""
    return f"`{line(text).replace('`', chr(39)).replace('|', chr(92) + '|')}`" if text else ""
