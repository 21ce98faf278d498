"""The pure path: what one frame costs from bytes to folded state, part by part, and what a verdict costs from that state."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from bench import transcripts
from bench.figures import Budget, Figure, at_most, figure, percentile
from bench.frames import FRAME_BYTES, INITIALIZE, INITIALIZED, call_request, call_result, encode, initialize_result
from witnessmark.judges.chain import decide, judge_state
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import CallAnswered, CallStarted, Event, Fact, Side
from witnessmark.model.policy import Policy
from witnessmark.observe.observer import Observer
from witnessmark.observe.redact import Purpose, Redactor
from witnessmark.observe.transcript import read_transcript
from witnessmark.state.fold import advance, fold
from witnessmark.state.run import RunState
from witnessmark.wire.jsonrpc import id_token, parse
from witnessmark.wire.strictjson import decode

PART: Final = "pure path"
PATH_BUDGET: Final = at_most(25)
VERDICT_BUDGET: Final = at_most(20)

_now: Final = time.perf_counter_ns


class _Session:
    """An observer and a state that have seen a client shake hands and read the catalog."""

    def __init__(self) -> None:
        self.observer = Observer("files", Redactor("bench", b"a key of this bench, 32 bytes long"))
        self.state = RunState()
        self.sequence = 0
        result = {"jsonrpc": "2.0", "id": "list-1", "result": {"tools": transcripts.TOOLS}}
        opening: list[tuple[Side, Any]] = [
            ("client", INITIALIZE),
            ("server", initialize_result("files")),
            ("client", INITIALIZED),
            ("client", {"jsonrpc": "2.0", "id": "list-1", "method": "tools/list"}),
            ("server", result),
        ]
        self.fold(self.observer.opened("0"))
        for side, message in opening:
            self.fold(self.observer.message("0", side, encode(message)))

    def fold(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            advance(self.state, Event("bench", "s", self.sequence, "r", self.sequence * 1000, fact))
            self.sequence += 1


def _frames(first: int, calls: int) -> list[tuple[Side, bytes]]:
    """So many calls and their answers, every frame of FRAME_BYTES, no two alike."""
    frames: list[tuple[Side, bytes]] = []
    for call in range(first, first + calls):
        frames += [("client", call_request(call)), ("server", call_result(call))]
    assert all(len(data) == FRAME_BYTES for _, data in frames)
    return frames


def _timed(work: Callable[[Any], object], items: Sequence[Any]) -> list[float]:
    """Microseconds of `work` for each item."""
    taken: list[float] = []
    for item in items:
        before = _now()
        work(item)
        taken.append((_now() - before) / 1000)
    return taken


def _whole_path(frames: Sequence[tuple[Side, bytes]]) -> tuple[list[float], _Session]:
    """Decode, observe, redact and fold each frame; what came out is checked after the clock has stopped."""
    session = _Session()
    before_us = session.state.calls.started, session.state.calls.succeeded
    message, fold_facts = session.observer.message, session.fold

    def path(frame: tuple[Side, bytes]) -> None:
        fold_facts(message("0", frame[0], frame[1]))

    taken = _timed(path, frames)
    calls = session.state.calls
    if (calls.started - before_us[0], calls.succeeded - before_us[1]) != (len(frames) // 2, len(frames) // 2):
        raise AssertionError(f"{len(frames) // 2} calls were made, {calls.started} seen, {calls.succeeded} answered")
    return taken, session


def _observed(frames: Sequence[tuple[Side, bytes]]) -> tuple[list[float], list[Fact]]:
    """Decode, observe and redact each frame."""
    observer = _Session().observer
    facts: list[Fact] = []
    message = observer.message

    def observe(frame: tuple[Side, bytes]) -> None:
        facts.extend(message("0", frame[0], frame[1]))

    taken = _timed(observe, frames)
    asked = [fact for fact in facts if isinstance(fact, CallStarted)]
    if len(asked) != len(frames) // 2 or len({fact.arguments for fact in asked}) != len(asked):
        raise AssertionError("a call was not seen, or two calls of different arguments have one hash")
    if sum(isinstance(fact, CallAnswered) for fact in facts) != len(asked):
        raise AssertionError("an answer was not seen")
    return taken, facts


def _redaction(frames: Sequence[tuple[Side, bytes]]) -> list[float]:
    """What the door does for one request: the keyed hash of its arguments, its id, its tool's name."""
    redactor = Redactor("bench", b"a key of this bench, 32 bytes long")
    params = [decode(data).value for side, data in frames if side == "client"]

    def redact(value: Any) -> None:
        redactor.hashed(Purpose.ARGUMENTS, value["params"]["arguments"])
        redactor.id(id_token(value["id"]))
        redactor.name(value["params"]["name"])

    return _timed(redact, params)


def _folding(facts: Sequence[Fact]) -> list[float]:
    state = _Session()
    first = state.sequence
    events = [Event("bench", "s", first + n, "r", (first + n) * 1000, fact) for n, fact in enumerate(facts)]

    def fold_one(event: Event) -> None:
        advance(state.state, event)

    return _timed(fold_one, events)


def _recording(facts: Sequence[Fact]) -> list[float]:
    recorder = Recorder("bench", "s", "r")
    return _timed(lambda fact: recorder.record(fact, 1), facts)


def path_figures(calls: int, rounds: int) -> list[Figure]:
    """The whole path and each part, interleaved: every round measures all of them on frames of its own."""
    parts: dict[str, list[float]] = {}
    tails: list[float] = []
    for number in range(rounds):
        frames = _frames(1 + number * calls, calls)
        whole, _ = _whole_path(frames)
        observed, facts = _observed(frames)
        measured: dict[str, list[float]] = {
            "whole path": whole,
            "strict decode": _timed(lambda frame: decode(frame[1]), frames),
            "strict decode and message": _timed(lambda frame: parse(decode(frame[1]).value), frames),
            "decode, observe, redact": observed,
            "redact (a request)": _redaction(frames),
            "fold": _folding(facts),
            "record (encode, hash chain)": _recording(facts),
        }
        for name, values in measured.items():
            parts.setdefault(name, []).append(percentile(sorted(values), 0.5))
        tails.append(percentile(sorted(whole), 0.99))
    figures = [
        figure(PART, f"{name}, {FRAME_BYTES} B frame", values, "us", budget=PATH_BUDGET if name == "whole path" else None)
        for name, values in parts.items()
    ]
    return [*figures, figure(PART, f"whole path, {FRAME_BYTES} B frame, p99", tails, "us")]


# --- verdicts --------------------------------------------------------------------------------------------------------

RUNS: Final[tuple[tuple[str, int], ...]] = (("a run of one call", 1), ("a run of 64 calls", 64), ("a run of 10,000 calls", 10_000))


def _state(calls: int) -> RunState:
    """A healthy run of so many calls, folded: all declared, the writes with their receipts, the outcome verified."""
    writer = transcripts.Writer()
    lines = [transcripts.HEADER, *writer.opening("mixed")]
    lines += [line for number in range(calls) for line in (writer.write(receipt=True) if number % 8 == 0 else writer.read())]
    lines += writer.ending("mixed")
    return fold(read_transcript(lines, "bench"))


def _each_us(work: Callable[[], object], times: int) -> list[float]:
    return _timed(lambda _: work(), range(times))


def verdict_figures(times: int, rounds: int, runs: Sequence[tuple[str, int]] = RUNS) -> list[Figure]:
    """The decision and the whole document, from the states of healthy runs of several lengths."""
    policy = Policy()
    states = [(name, calls, _state(calls)) for name, calls in runs]
    taken: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, calls, state in states:
            assert state.last is not None
            as_of_us = state.last.time_us
            decision, verdict = decide(state, policy, as_of_us), judge_state(state, policy, as_of_us)
            if decision.state != "healthy" or verdict.state != "healthy" or verdict.counts.calls != calls:
                raise AssertionError(f"{name}: {decision.state}, {verdict.state}, {verdict.counts}")
            for what, work in (("decide", decide), ("whole document", judge_state)):
                values = _each_us(lambda work=work, state=state, at=as_of_us: work(state, policy, at), max(1, times // (1 + calls // 100)))  # type: ignore[misc]
                taken.setdefault(f"{what}, {name}", []).append(percentile(sorted(values), 0.5))
    return [figure(PART, name, values, "us", budget=_verdict_budget(name)) for name, values in taken.items()]


def _verdict_budget(name: str) -> Budget | None:
    return VERDICT_BUDGET if name.startswith("decide") else None


def measure(*, calls: int, rounds: int, verdicts: int, runs: Sequence[tuple[str, int]] = RUNS) -> list[Figure]:
    """All figures of the pure path: `calls` calls a round, `verdicts` verdicts of each run a round."""
    return [*path_figures(calls, rounds), *verdict_figures(verdicts, rounds, runs)]
