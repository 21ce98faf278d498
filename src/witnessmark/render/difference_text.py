"""A difference as text that a person reads in ten seconds: the verdict first, then what stops, with the changed words marked.

`[-was-]` and `{+is+}` mark words; colour only repeats that. What a peer sent is escaped. Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any, Final

from witnessmark.contract.words import changed
from witnessmark.model.change import ABSENT, Change, Difference
from witnessmark.render.difference import Group, grade, literal, next_step, sorted_out
from witnessmark.render.escape import line, name

STOPPING_SHOWN: Final = 20
"""Edits shown that stop: what fits a screen; JSON has all."""
NOTED_SHOWN: Final = 5
"""Edits shown that stop nothing."""
TOOLS_NAMED: Final = 4
"""Names of tools that share an edit."""
VALUE_CHARS: Final = 160
"""Characters of a value on one line."""
CONTEXT_CHARS: Final = 40
"""Characters of unchanged text that stay around marked words."""

_COLOURS: Final = {"drift": "1;31", "incomplete": "1;33", "unpinned": "1;33", "same": "1;32", "cosmetic": "1;32"}
_GRADES: Final = {"silent": "31", "loud": "31", "escalated": "31", "changed": "33", "cosmetic": "2", "removed": "31", "added": "32"}
GRADES_SAID: Final = {
    "silent": "an old call is accepted and wrong",
    "loud": "an old call is refused",
    "escalated": "the model is told something more dangerous",
    "changed": "the model is told something else",
    "cosmetic": "nothing changes for caller or model",
}
"""What a grade says, in one sentence (contracts.md, "Differences")."""
_VERDICTS: Final = {
    "same": "the contract is what was approved",
    "cosmetic": "nothing that stops at this preset",
    "drift": "the contract is not what was approved",
    "incomplete": "the catalog was not seen whole: nothing is proved",
    "unpinned": "nothing valid is approved to compare with",
}


_COMPARED: Final = {"same": "both are one contract", "drift": "the contracts differ"}


def difference_text(difference: Difference, *, colour: bool = False) -> str:
    """The difference as lines with a final line end. `colour` puts ANSI colours around marks that are there without them."""
    lots = sorted_out(difference)
    where = f" against {line(difference.where)}" if difference.where else ""
    verdict = _painted(difference.verdict, _COLOURS[difference.verdict], colour=colour)
    lines = [f"{verdict}  {name(difference.server)} ({difference.profile}){where}"]
    said = _VERDICTS[difference.verdict] if difference.approved else _COMPARED.get(difference.verdict, _VERDICTS[difference.verdict])
    lines.append(f"  {said}; {_counted(difference)}")
    if difference.reason:
        lines.append(f"  {line(difference.reason)}")
    if difference.expired:
        lines.append(f"  approval ended: {_names(tuple(tool or 'instructions' for tool in difference.expired))}")
    for group in lots.stopping[:STOPPING_SHOWN]:
        lines += _group(group, colour=colour)
    if len(lots.stopping) > STOPPING_SHOWN:
        lines.append(f"  and {len(lots.stopping) - STOPPING_SHOWN} more (--format json has all)")
    if lots.toolchain:
        tools = len({change.tool for change in lots.toolchain})
        kinds = ", ".join(dict.fromkeys(change.kind for change in lots.toolchain))
        lines.append(f"  toolchain: {len(lots.toolchain)} edits of a schema generator or SDK in {_tools(tools)} ({kinds})")
    if lots.noted:
        lines.append("  also, stopping nothing:")
        lines += [f"    {_title(group)}: {line(group.change.why, VALUE_CHARS)}" for group in lots.noted[:NOTED_SHOWN]]
        if len(lots.noted) > NOTED_SHOWN:
            lines.append(f"    and {len(lots.noted) - NOTED_SHOWN} more")
    step = next_step(difference)
    if step:
        lines.append(f"  next: {line(step)}")
    return "\n".join(lines) + "\n"


def _counted(difference: Difference) -> str:
    if difference.verdict in ("incomplete", "unpinned") and not difference.changes:
        return f"preset {difference.preset}"
    counts = dict.fromkeys(GRADES_SAID, 0)
    for change in difference.changes:
        counts[grade(change)] += 1
    said = ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "no change"
    return f"{_tools(difference.tools)}, {said}, preset {difference.preset}"


def _tools(count: int) -> str:
    return f"{count} tool{'' if count == 1 else 's'}"


def _group(group: Group, *, colour: bool) -> list[str]:
    change = group.change
    word = grade(change)
    lane = f" [{change.lane}]" if change.lane else ""
    lines = [f"  {_painted(word, _GRADES[word], colour=colour)}  {_title(group)}{lane}", f"    {line(change.why, 400)}"]
    shown = _values(change, colour=colour)
    if shown:
        lines += [f"    {text}" for text in shown]
    doubt = "" if change.confidence in ("proven", "high") else f" (confidence {change.confidence})"
    lines.append(f"    -> {line(change.action)}{doubt}")
    return lines


def _title(group: Group) -> str:
    change = group.change
    subject = _names(group.tools) if any(group.tools) else "server"
    renamed = f" -> {name(change.renamed_to)}" if change.renamed_to else ""
    place = f"  {name(change.pointer, VALUE_CHARS)}" if change.pointer else ""
    return f"{subject}{place}  {change.kind}{renamed}"


def _names(tools: tuple[str, ...]) -> str:
    shown = ", ".join(name(tool) for tool in tools[:TOOLS_NAMED])
    return shown if len(tools) <= TOOLS_NAMED else f"{shown} and {len(tools) - TOOLS_NAMED} more ({len(tools)} tools)"


def _values(change: Change, *, colour: bool) -> list[str]:
    """Before and after: of two texts the words that changed, of anything else both values."""
    before, after = change.before, change.after
    if isinstance(before, str) and isinstance(after, str):
        return [marked(before, after, colour=colour)]
    lines = []
    if before is not ABSENT:
        lines.append(f"{_painted('-', _GRADES['removed'], colour=colour)} {_value(before)}")
    if after is not ABSENT:
        lines.append(f"{_painted('+', _GRADES['added'], colour=colour)} {_value(after)}")
    return lines


def _value(value: Any) -> str:
    """A text as it reads, anything else as JSON; a tool as its description."""
    if isinstance(value, dict) and isinstance(value.get("description"), str) and "inputSchema" in value:
        value = value["description"]
    return line(value, VALUE_CHARS) if isinstance(value, str) else line(literal(value), VALUE_CHARS)


def marked(before: str, after: str, *, colour: bool = False) -> str:
    """Both texts as one, `[-removed-]` and `{+added+}` marked, long unchanged stretches left out, hidden characters escaped."""
    parts = changed(before, after)
    texts = []
    for at, (mark, text) in enumerate(parts):
        if mark == "same":
            texts.append(_context(text, first=at == 0, last=at == len(parts) - 1))
        elif mark == "removed":
            texts.append(_painted(f"[-{line(text, VALUE_CHARS)}-]", _GRADES["removed"], colour=colour))
        else:
            texts.append(_painted(f"{{+{line(text, VALUE_CHARS)}+}}", _GRADES["added"], colour=colour))
    return "".join(texts)


def _context(text: str, *, first: bool, last: bool) -> str:
    if len(text) <= 2 * CONTEXT_CHARS:
        return line(text)
    start = "" if first else line(text[:CONTEXT_CHARS])
    end = "" if last else line(text[-CONTEXT_CHARS:])
    return f"{start} ... {end}"


def _painted(text: str, look: str, *, colour: bool) -> str:
    return f"\x1b[{look}m{text}\x1b[0m" if colour else text
