"""Differences as workflow commands of GitHub Actions: annotations in the files view.

Format: GitHub documentation, "Workflow commands": `::error file=F,line=N,title=T::message`. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from witnessmark.model.change import Difference
from witnessmark.render.difference import Finding, Place, findings
from witnessmark.render.escape import line

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}


def rendered(found: Iterable[Difference], place: Place) -> str:
    """One line for each edit; a line that says so where nothing changed."""
    lines = []
    for difference in found:
        shown = findings(difference)
        lines += [_annotation(difference, finding, place) for finding in shown]
        if not shown:
            lines.append(f"the contract is what was approved: {_plain(difference.server)} ({difference.profile})")
    return "".join(f"{one}\n" for one in lines)


def _annotation(difference: Difference, finding: Finding, place: Place) -> str:
    tool = next(iter(finding.tools), "")
    properties = {"file": place.path, "line": str(place.line(difference, tool)), "title": finding.title}
    said = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.level]} {said}::{_data(finding.message)}"


def _plain(text: str) -> str:
    """Text of a line that is no command, to stand after words of ours."""
    # actions/runner, ActionCommand.cs: `::` is a command at the beginning of a line only, the older `##[` anywhere in it.
    return line(text).replace("##[", "# #[")


def _data(text: str) -> str:
    """The message: no line end of a peer's begins another command."""
    return line(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
