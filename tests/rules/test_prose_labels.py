"""The text rule against upgrades of real servers that were labelled by reading: how many silent changes it raises, how many
harmless ones it flags; over all labels, and with each server held out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from witnessmark.contract.prose import reading

CATALOGS: Final = Path(__file__).parents[3] / "shared/corpus/catalogs"
TEXT_KINDS: Final = frozenset(
    (
        "description-tool",
        "description-param",
        "description-schema",
        "description-output",
        "default-changed-in-text",
        "bound-tightened-in-text",
    )
)
pytestmark = pytest.mark.shared


class Labelled(msgspec.Struct, frozen=True):
    """One text that changed in place, what a reader said of it, and the cues that the rule found."""

    server: str
    silent: bool
    harmless: bool
    cues: frozenset[str]
    told: str
    orders: bool


def member(node: Any, pointer: str) -> Any:
    """What stands at a JSON Pointer, None for nothing."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        node = node.get(name) if isinstance(node, dict) else node[int(name)] if isinstance(node, list) and name.isdigit() else None
    return node


def tools(server: str, version: str) -> dict[str, Any]:
    """The tools of one captured catalog, by name."""
    held = json.loads((CATALOGS / server / f"{version}.json").read_text(encoding="utf-8"))
    return {tool["name"]: tool for tool in held["tools"]}


def labelled() -> Iterator[Labelled]:
    """Every labelled change of a text that stands on both sides."""
    for path in sorted((CATALOGS / "labels").glob("*.json")):
        upgrade = json.loads(path.read_text(encoding="utf-8"))
        old, new = (tools(upgrade["server"], version) for version in upgrade["pair"])
        for change in upgrade["changes"]:
            before, after = (member(side.get(change["tool"]), change["pointer"]) for side in (old, new))
            if change["kind"] in TEXT_KINDS and isinstance(before, str) and isinstance(after, str):
                read = reading(before, after)
                caller = change["old_caller"]
                cues = frozenset(cue.name for cue in read.cues)
                yield Labelled(upgrade["server"], caller == "silent", caller == "none", cues, change["model_told"], bool(read.orders))


@pytest.fixture(scope="module")
def corpus() -> list[Labelled]:
    if not (CATALOGS / "labels").is_dir():
        pytest.skip("labelled catalogs are not in this clone")
    found = list(labelled())
    assert len(found) >= 50
    return found


def counts(texts: list[Labelled], raised: Callable[[Labelled], bool]) -> tuple[int, int, int, int]:
    """(silent raised, silent, harmless flagged, harmless)."""
    silent = [text for text in texts if text.silent]
    harmless = [text for text in texts if text.harmless]
    return sum(map(raised, silent)), len(silent), sum(map(raised, harmless)), len(harmless)


def trusted(texts: list[Labelled]) -> frozenset[str]:
    """The cues that raise a silent change at least as often as a harmless one."""
    right = Counter(cue for text in texts if text.silent for cue in text.cues)
    wrong = Counter(cue for text in texts if text.harmless for cue in text.cues)
    return frozenset(cue for cue in right if right[cue] >= wrong[cue])


def show(title: str, found: tuple[int, int, int, int], capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{title}: silent raised {found[0]} of {found[1]}, harmless flagged {found[2]} of {found[3]}")  # noqa: T201


def test_two_thirds_of_the_silent_are_raised_and_at_most_a_quarter_of_the_harmless(
    corpus: list[Labelled], capsys: pytest.CaptureFixture[str]
) -> None:
    found = counts(corpus, lambda text: bool(text.cues))
    show("all labels", found, capsys)
    raised, silent, flagged, harmless = found
    assert raised * 3 >= silent * 2
    assert flagged * 4 <= harmless


def test_cues_that_prove_themselves_on_other_servers_keep_the_goal_on_a_server_that_is_held_out(
    corpus: list[Labelled], capsys: pytest.CaptureFixture[str]
) -> None:
    total = [0, 0, 0, 0]
    for server in sorted({text.server for text in corpus}):
        cues = trusted([text for text in corpus if text.server != server])
        held_out = counts([text for text in corpus if text.server == server], lambda text, cues=cues: bool(text.cues & cues))  # type: ignore[misc]
        total = [have + more for have, more in zip(total, held_out, strict=True)]
    raised, silent, flagged, harmless = total
    show("each server held out", (raised, silent, flagged, harmless), capsys)
    # Cues of one server alone cannot prove themselves on the others: half is what the rest carries.
    assert raised * 2 >= silent
    assert flagged * 4 <= harmless


def test_order_words_are_found_and_seldom_seen_where_a_reader_saw_none(corpus: list[Labelled], capsys: pytest.CaptureFixture[str]) -> None:
    escalated = [text for text in corpus if text.told == "escalated"]
    others = [text for text in corpus if text.told != "escalated"]
    found = sum(text.orders for text in escalated), sum(text.orders for text in others)
    with capsys.disabled():
        print(f"\norder words: {found[0]} of {len(escalated)} escalated, {found[1]} of {len(others)} others")  # noqa: T201
    assert found[0] * 2 >= len(escalated)
    assert found[1] * 20 <= len(others)
