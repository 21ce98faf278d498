"""A difference for readers: what is shown once, in which order, and the JSON document `diff/1` (formats.md).

Every other form (text, SARIF, JUnit, annotations, Markdown) is made from the groups here. Members beyond the normative ones
are additive: `reason`, `tools`, `expired`, `where`, and of a change `action`, `group`, `lane`. Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from witnessmark.contract.approving import stops
from witnessmark.contract.digest import digest_of, short
from witnessmark.model.change import ABSENT, Change, Difference

FORMAT: Final = "diff/1"
TOOLCHAIN: Final = "toolchain"
EXITS: Final[dict[str, int]] = {"same": 0, "cosmetic": 0, "drift": 1, "incomplete": 3, "unpinned": 3}


class Group(NamedTuple):
    """One edit and the tools that have it: identical edits are shown once."""

    change: Change
    tools: tuple[str, ...]


class Sorted(NamedTuple):
    """The changes of a difference as they are shown: what stops, what only is noted, and what the tool chain left behind."""

    stopping: tuple[Group, ...]
    noted: tuple[Group, ...]
    toolchain: tuple[Change, ...]


def exit_of(differences: Iterable[Difference]) -> int:
    """The exit code of several: 1 if any drifted, else 3 if any was not proved, else 0."""
    codes = {EXITS[difference.verdict] for difference in differences}
    return next((code for code in (1, 3) if code in codes), 0)


def sorted_out(difference: Difference) -> Sorted:
    """The changes in three lots, identical ones grouped; in each the order of the comparison: the gravest first."""
    toolchain = tuple(change for change in difference.changes if _is_toolchain(change))
    rest = [change for change in difference.changes if not _is_toolchain(change)]
    stopping = [change for change in rest if stops(change, difference.preset)]
    return Sorted(grouped(stopping), grouped(change for change in rest if not stops(change, difference.preset)), toolchain)


def _is_toolchain(change: Change) -> bool:
    return change.group == TOOLCHAIN and change.old_caller == "none" and change.model_told != "escalated"


def grouped(changes: Iterable[Change]) -> tuple[Group, ...]:
    """Identical edits (kind, place, grades, before, after) of several tools as one group, in the order of the first."""
    found: dict[tuple[str, ...], list[Change]] = {}
    for change in changes:
        found.setdefault(_edit(change), []).append(change)
    return tuple(Group(several[0], tuple(dict.fromkeys(change.tool for change in several))) for several in found.values())


def _edit(change: Change) -> tuple[str, ...]:
    return (
        change.kind, change.pointer, change.old_caller, change.model_told, change.renamed_to, change.lane,
        literal(change.before), literal(change.after),
    )  # fmt: skip


def literal(value: Any) -> str:
    """A value as JSON on one line, in ASCII; empty where there is none."""
    return "" if value is ABSENT else json.dumps(plain(value), sort_keys=True, ensure_ascii=True)


def plain(value: Any) -> Any:
    """The value as JSON can hold it: a number that is none becomes a word."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    return value


def difference_document(difference: Difference) -> dict[str, Any]:
    """The difference as the members of `diff/1`. `before` and `after` are absent where there is nothing, which null is not."""
    document: dict[str, Any] = {
        "witnessmark": FORMAT,
        "server": difference.server,
        "profile": difference.profile,
        "complete": difference.complete,
        "preset": difference.preset,
        "verdict": difference.verdict,
        "changes": [_change(change) for change in difference.changes],
        "reason": difference.reason,
        "tools": difference.tools,
        "expired": list(difference.expired),
    }
    if difference.where:
        document["where"] = difference.where
    return document


def _change(change: Change) -> dict[str, Any]:
    document: dict[str, Any] = {
        "tool": change.tool,
        "kind": change.kind,
        "pointer": change.pointer,
        "old_caller": change.old_caller,
        "model_told": change.model_told,
        "confidence": change.confidence,
    }
    for member in ("renamed_to", "group", "lane"):
        if getattr(change, member):
            document[member] = getattr(change, member)
    for member in ("before", "after"):
        if getattr(change, member) is not ABSENT:
            document[member] = plain(getattr(change, member))
    return {**document, "why": change.why, "action": change.action, "fingerprint": change.fingerprint}


def grade(change: Change) -> str:
    """The graver of the two grades, as one word: silent, loud, escalated, changed or cosmetic."""
    if change.old_caller != "none":
        return change.old_caller
    return "cosmetic" if change.model_told == "same" else change.model_told


def next_step(difference: Difference) -> str:
    """What its reader types next; empty where nothing is to be done."""
    server = difference.server
    if not difference.approved:
        return "`witnessmark explain KIND` says more" if difference.verdict == "drift" else ""
    if difference.verdict == "drift" or difference.expired:
        return f"review, then `witnessmark approve --server {server}`; `witnessmark explain KIND` says more"
    if difference.verdict == "incomplete":
        return "mend what ended the capture and check again: nothing is proved"
    if difference.verdict == "unpinned":
        return f"`witnessmark lock {server}`"
    return ""


class Place(NamedTuple):
    """Where CI shows a change: the lockfile's path, the line of each (server, profile, tool) in it, and our version."""

    path: str
    lines: Mapping[tuple[str, str, str], int] = {}
    version: str = "0"

    def line(self, difference: Difference, tool: str) -> int:
        """The line of the tool, else of the server's entry, else the first."""
        server = (difference.server, difference.profile, "")
        return self.lines.get((difference.server, difference.profile, tool), self.lines.get(server, 1))


class Finding(NamedTuple):
    """One thing that CI shows: its kind, level, tools, texts and fingerprint. Verdicts without a change are findings too."""

    kind: str
    level: str
    title: str
    message: str
    tools: tuple[str, ...]
    pointer: str
    fingerprint: str
    stops: bool


def findings(difference: Difference) -> list[Finding]:
    """What CI shows of a difference, what stops first: `error` and `warning` stop, `note` does not."""
    lots = sorted_out(difference)
    found = [_verdict_finding(difference)] if difference.verdict in ("incomplete", "unpinned") else []
    found += [_finding(difference, group, stops=True) for group in lots.stopping]
    found += [_finding(difference, group, stops=False) for group in (*lots.noted, *grouped(lots.toolchain))]
    return found


def _verdict_finding(difference: Difference) -> Finding:
    mark = short(digest_of([difference.server, difference.profile, difference.verdict, difference.reason]))
    title = f"{difference.server} ({difference.profile}): {difference.verdict}"
    message = f"{difference.reason}; next: {next_step(difference)}"
    return Finding(difference.verdict, "error", title, message, difference.expired, "", mark, stops=True)


def _finding(difference: Difference, group: Group, *, stops: bool) -> Finding:
    change = group.change
    level = "note" if not stops else "error" if grade(change) in ("silent", "loud", "escalated") else "warning"
    subject = next(iter(group.tools), "") or "server"
    more = f" and {len(group.tools) - 1} more tools" if len(group.tools) > 1 else ""
    title = f"{difference.server} ({difference.profile}): {subject}{more}: {change.kind}"
    grades = f"old caller {change.old_caller}, model told {change.model_told}, confidence {change.confidence}"
    message = f"{change.why} ({grades}); next: {change.action}"
    return Finding(change.kind, level, title, message, group.tools, change.pointer, change.fingerprint, stops=stops)
