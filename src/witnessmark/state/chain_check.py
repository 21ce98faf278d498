"""Checks the hash chains of a log and names what does not hold: for `verify`, for doctor, for a person who doubts.

The fold does its own, smaller check, because a verdict needs only to know that something is off. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from witnessmark.model.chain import GENESIS
from witnessmark.model.evidence import Event, EvidenceCheckpoint, EvidenceClosed, EvidenceGap
from witnessmark.state.order import covered

Problem = Literal["hole", "altered", "broken_link", "equivocation", "cut", "wrong_close", "after_close", "gap", "unattested"]


class Finding(NamedTuple):
    """What does not hold in a session's chain, at which number, and what that means."""

    problem: Problem
    source: str
    session: str
    sequence: int
    message: str


class _Chain:
    __slots__ = ("attested", "before", "closed", "next", "tips")

    def __init__(self) -> None:
        self.next = 0
        self.tips: set[bytes] = {GENESIS}
        """Hashes of the newest number; several after an equivocation."""
        self.before: set[bytes] = set()
        """Hashes of the number before the newest."""
        self.closed = False
        self.attested = False


class _Claim(NamedTuple):
    by: Event
    fact: EvidenceCheckpoint


def verify_chain(events: Iterable[Event]) -> Iterator[Finding]:
    """What does not hold in the chains of events in canonical order; nothing where every session is whole and closed.

    A session that is open and that no checkpoint attests is `unattested`: whether its end was cut off cannot be known.
    """
    chains: dict[tuple[str, str], _Chain] = {}
    claims: dict[str, list[_Claim]] = {}
    for event in events:
        chain = chains.setdefault((event.source, event.session), _Chain())
        yield from _placed(chain, event)
        yield from _linked(chain, event)
        yield from _spoken(chain, event)
        if isinstance(event.fact, EvidenceCheckpoint):
            claims.setdefault(event.fact.of, []).append(_Claim(event, event.fact))
    yield from _settled(chains, claims)


def _placed(chain: _Chain, event: Event) -> Iterator[Finding]:
    if event.sequence > chain.next:
        count = event.sequence - chain.next
        yield _finding("hole", event, f"{count} event{'s' if count > 1 else ''} before this one missing")
        chain.before, chain.tips = set(), set()
    elif event.sequence < chain.next:
        yield _finding("equivocation", event, "a different event under a number that is given")
        chain.tips.add(event.hash)
        return
    else:
        chain.before, chain.tips = chain.tips, set()
    if chain.closed:
        yield _finding("after_close", event, "follows the closing event of its session")
    chain.tips.add(event.hash)
    chain.next = event.sequence + 1


def _linked(chain: _Chain, event: Event) -> Iterator[Finding]:
    if not covered(event):
        yield _finding("altered", event, "its content does not match its hash")
    if event.hash and chain.before and event.prev not in chain.before:
        wrong = "names a previous hash that the event before it does not have"
        yield _finding("broken_link", event, wrong if event.prev else "names no previous hash, so nothing covers it")


def _spoken(chain: _Chain, event: Event) -> Iterator[Finding]:
    fact = event.fact
    if isinstance(fact, EvidenceClosed):
        chain.closed = True
        if fact.count != event.sequence or (event.prev and fact.head != event.prev.hex()):
            yield _finding("wrong_close", event, f"states {fact.count} events before it and another head than the chain has")
    elif isinstance(fact, EvidenceGap):
        lost = "some" if fact.count is None else str(fact.count)
        yield _finding("gap", event, f"the observer states that it lost {lost} observations here ({fact.reason or 'no reason given'})")


def _settled(chains: dict[tuple[str, str], _Chain], claims: dict[str, list[_Claim]]) -> Iterator[Finding]:
    for (source, session), chain in chains.items():
        for claim in claims.pop(session, ()):
            chain.attested = True
            if claim.fact.count > chain.next:
                yield Finding("cut", source, session, chain.next, f"{claim.fact.count} events were attested, {chain.next} are here")
            elif claim.fact.count == chain.next and claim.fact.head not in {tip.hex() for tip in chain.tips}:
                yield Finding("cut", source, session, chain.next - 1, "the last event is not the one that was attested")
        if not chain.closed and not chain.attested:
            yield Finding("unattested", source, session, chain.next, "neither closed nor attested: its end may be missing")
    for session, rest in claims.items():
        for claim in rest:
            if claim.fact.count:
                yield Finding("cut", "", session, 0, f"{claim.fact.count} events were attested, none is here")


def _finding(problem: Problem, event: Event, message: str) -> Finding:
    return Finding(problem, event.source, event.session, event.sequence, message)
