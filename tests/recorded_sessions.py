"""Builders for the tests of the store: sessions recorded as a proxy records them, and facts of every kind at random."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from witnessmark.adapters.store.protocol import EvidenceStore, SessionKey
from witnessmark.model.chain import GENESIS, Entry, Recorder
from witnessmark.model.evidence import FACTS, CallAnswered, CallStarted, Event, Fact, ShownTool, ToolRef
from witnessmark.state.order import Logged, logged_event

START_US = 1_790_000_000_000_000
SECOND_US = 1_000_000


def recorded(
    facts: Iterable[tuple[Fact, int]], *, source: str = "proxy:files", session: str = "s1", run: str = "run-1", close: bool = False
) -> tuple[list[Entry], list[Logged]]:
    """The entries of facts given with their times, and the events they must be read back as."""
    recorder = Recorder(source, session, run)
    entries = [recorder.record(fact, time_us) for fact, time_us in facts]
    if close:
        entries.append(recorder.close(max(recorder.last_time_us, START_US)))
    return entries, as_events(entries, source=source, session=session, run=run)


def as_events(entries: Sequence[Entry], *, source: str = "proxy:files", session: str = "s1", run: str = "run-1") -> list[Logged]:
    events: list[Logged] = []
    prev = GENESIS
    for entry in entries:
        events.append(logged_event(source, session, entry.sequence, run, entry.time_us, entry.kind, entry.data, prev, entry.hash))
        prev = entry.hash
    return events


def plain(events: Iterable[Event]) -> list[Event]:
    """The events without what only a log has."""
    return [Event(e.source, e.session, e.sequence, e.run, e.time_us, e.fact, e.prev, e.hash) for e in events]


def calls(count: int, *, server: str = "files", start_us: int = START_US, step_us: int = 1000) -> list[tuple[Fact, int]]:
    """So many calls, each with its answer."""
    facts: list[tuple[Fact, int]] = []
    for number in range(count):
        at_us = start_us + 2 * number * step_us
        facts.append((CallStarted(server=server, id=str(number), tool="write_report", arguments="k1:" + f"{number:032x}"), at_us))
        facts.append((CallAnswered(server=server, id=str(number), size_bytes=100), at_us + step_us))
    return facts


def stored(
    store: EvidenceStore,
    facts: Iterable[tuple[Fact, int]],
    *,
    source: str = "proxy:files",
    session: str = "s1",
    run: str = "run-1",
    server: str = "files",
    close: bool = False,
) -> tuple[SessionKey, list[Logged]]:
    """Keep a session in a store; its key and the events that must be read back."""
    entries, events = recorded(facts, source=source, session=session, run=run, close=close)
    key = store.open_session(source=source, session=session, run=run, server=server, opened_us=entries[0].time_us if entries else START_US)
    if close:
        store.close_session(key, entries[-1].time_us, entries)
    else:
        store.append(key, entries)
    return key, events


_TEXTS = st.text(max_size=12)
_BY_HINT: dict[str, st.SearchStrategy[object]] = {
    "str": _TEXTS,
    "bool": st.booleans(),
    "int": st.integers(0, 2**53),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "tuple[str, ...]": st.lists(_TEXTS, max_size=3).map(tuple),
    "tuple[ToolRef, ...]": st.lists(st.builds(ToolRef, name=_TEXTS, digest=_TEXTS), max_size=3).map(tuple),
    "tuple[ShownTool, ...]": st.lists(st.builds(ShownTool, shown=_TEXTS, wire=_TEXTS, digest=_TEXTS), max_size=3).map(tuple),
}


# Members with a closed list of words: an observer writes no others.
_WORDS = frozenset({
    "by", "era", "finding", "how", "kind", "method", "origin", "outcome", "reason", "side", "status", "task_status", "transport", "trigger",
})  # fmt: skip


def facts(*, any_words: bool = True) -> st.SearchStrategy[Fact]:
    """Any fact of any kind, its texts, numbers and lists filled at random; other members keep their defaults.

    Without `any_words`, members with a closed list of words keep theirs too.
    """
    left_out = frozenset[str]() if any_words else _WORDS
    return st.one_of([_fact(kind, left_out) for kind in FACTS.values()])


def _fact(kind: type[Fact], left_out: frozenset[str]) -> st.SearchStrategy[Fact]:
    hints = {name: str(hint).removesuffix(" | None") for cls in kind.__mro__ for name, hint in getattr(cls, "__annotations__", {}).items()}
    return st.builds(kind, **{name: _BY_HINT[hint] for name, hint in hints.items() if hint in _BY_HINT and name not in left_out})
