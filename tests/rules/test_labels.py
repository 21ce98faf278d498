"""Real upgrades of real servers, labelled by reading: what was labelled silent is found, what was labelled harmless is not graded worse."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from witnessmark.model.capture import Capture
from witnessmark.model.change import Change
from witnessmark.rules.comparing import compare

CATALOGS: Final = Path(__file__).parents[3] / "shared/corpus/catalogs"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not CATALOGS.is_dir(), reason="third-party catalogs are not in this clone"),
]

# Kinds that the schema shows; what else was labelled silent stands in a text and is the business of the text rules' test.
STRUCTURE: Final = frozenset(
    (
        "param-removed-open",
        "param-renamed-open",
        "default-narrows-result",
        "default-added",
        "default-changed",
        "default-removed",
        "schema-emptied",
    )
)

# (upgrade, tool, labelled kind, pointer) -> why we do not follow the label. A waiver that is no longer needed fails.
LOUD_ELSEWHERE: Final[dict[tuple[str, str, str, str], str]] = {
    (
        "playwright__0.0.50__0.0.56",
        "browser_run_code",
        "description-param",
        "/inputSchema/properties/code/description",
    ): "only prose says that a snippet became a function: no schema refuses the old text, so no rule can call it proven loud",
}


class Label(msgspec.Struct, frozen=True):
    """One labelled change; `tool` is empty for the server."""

    upgrade: str
    tool: str
    kind: str
    pointer: str
    old_caller: str
    model_told: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        return (self.upgrade, self.tool, self.kind, self.pointer)


Measured = list[tuple[Label, tuple[Change, ...]]]
Say = Callable[[str], None]


def capture(server: str, version: str) -> Capture:
    held = json.loads((CATALOGS / server / f"{version}.json").read_text(encoding="utf-8"))
    return Capture(
        server=server,
        complete=True,
        tools=tuple(held["tools"]),
        instructions=held.get("instructions"),
        capabilities=tuple(sorted(held.get("capabilities") or ())),
    )


def measured() -> Measured:
    """Every label with all changes that were found in its upgrade."""
    found = []
    for path in sorted((CATALOGS / "labels").glob("*.json")):
        held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        changes = compare(*(capture(held["server"], version) for version in held["pair"]))
        for each in held["changes"]:
            tool = "" if each["tool"] == "*server*" else each["tool"]
            found.append((Label(path.stem, tool, each["kind"], each["pointer"], each["old_caller"], each["model_told"]), changes))
    return found


def at(label: Label, changes: tuple[Change, ...]) -> list[Change]:
    """The changes at a label's place, and if there are none, those above and below it."""
    mine = [change for change in changes if change.tool == label.tool]
    exact = [change for change in mine if change.pointer == label.pointer]
    if exact:
        return exact
    return [change for change in mine if change.pointer.startswith(label.pointer) or label.pointer.startswith(change.pointer)]


@pytest.fixture(name="say")
def _say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Print a count even when all is well: it is what this file is for."""

    def say(line: str) -> None:
        with capsys.disabled():
            print(f"\n{line}")  # noqa: T201

    return say


@pytest.fixture(scope="module", name="measured")
def _measured() -> Measured:
    return measured()


def test_every_silent_change_of_structure_is_found_silent(measured: Measured, say: Say) -> None:
    silent = [(label, changes) for label, changes in measured if label.old_caller == "silent" and label.kind in STRUCTURE]
    missed = [label.key for label, changes in silent if "silent" not in {change.old_caller for change in at(label, changes)}]
    say(f"silent by structure: {len(silent) - len(missed)} of {len(silent)} found")
    assert len(silent) >= 10
    assert not missed


def test_no_harmless_change_is_graded_worse(measured: Measured, say: Say) -> None:
    harmless = [(label, changes) for label, changes in measured if (label.old_caller, label.model_told) == ("none", "same")]
    worse = [
        (label.key, change.kind, change.old_caller, change.model_told)
        for label, changes in harmless
        for change in changes
        if (change.tool, change.pointer) == (label.tool, label.pointer) and not change.cosmetic
    ]
    say(f"none and same: {len(harmless) - len(worse)} of {len(harmless)} cosmetic")
    assert len(harmless) >= 90
    assert not worse


def test_what_old_callers_do_not_notice_is_never_called_loud_or_silent(measured: Measured, say: Say) -> None:
    quiet = [(label, changes) for label, changes in measured if label.old_caller == "none" and not label.kind.startswith("description")]
    worse = [
        (label.key, change.kind, change.old_caller)
        for label, changes in quiet
        for change in changes
        if (change.tool, change.pointer) == (label.tool, label.pointer) and change.old_caller != "none"
    ]
    say(f"none for old callers: {len(quiet) - len(worse)} of {len(quiet)}")
    assert not worse


def test_a_loud_change_is_found_in_its_tool(measured: Measured, say: Say) -> None:
    loud = [(label, changes) for label, changes in measured if label.old_caller == "loud"]
    missed = {
        label.key
        for label, changes in loud
        # A rename and a new required name stand at one place for the reader of labels and at another for the rules.
        if not any(change.old_caller != "none" for change in changes if change.tool == label.tool)
    }
    say(f"loud: {len(loud) - len(missed)} of {len(loud)} found")
    assert missed == set(LOUD_ELSEWHERE)
    assert all(LOUD_ELSEWHERE.values())


def test_nothing_grave_is_invented(measured: Measured, say: Say) -> None:
    labelled: dict[str, set[tuple[str, str]]] = {}
    for label, _ in measured:
        labelled.setdefault(label.upgrade, set()).add((label.tool, label.pointer))
    seen: Counter[str] = Counter()
    invented = set()
    for upgrade, changes in {label.upgrade: changes for label, changes in measured}.items():
        for change in changes:
            if change.old_caller == "none" or "description" in change.pointer:
                continue
            seen[change.kind] += 1
            if not any(tool == change.tool and pointer.startswith(change.pointer) for tool, pointer in labelled[upgrade]):
                invented.add((upgrade, change.tool, change.kind, change.pointer))
    say(f"loud or silent by structure: {seen.total()} changes, {len(invented)} of them without a label")
    assert not invented
