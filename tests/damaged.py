"""Histories to damage, ways to damage their evidence, and what must hold then: a verdict never becomes greener.

What a damage takes or changes is detectable by its nature, with two limits that docs/guarantees.md states: a session that was
removed whole, which shows only where somebody attested it, and what an open log lost, or was given by a forger, in the very
microsecond as of which it is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final, NamedTuple

from histories import HEALTHY, WORKING, History, history
from witnessmark.judges.judging import judge
from witnessmark.model import evidence as e
from witnessmark.model.chain import link
from witnessmark.model.evidence import Event, Fact, encode_fact
from witnessmark.model.verdict import Verdict
from witnessmark.state.order import trusted

SETUP: Final = "declare expect session list page installed"

GOOD: Final[tuple[str, ...]] = (
    HEALTHY,
    "declare expect session list page:next=c1,tools=publish list:c1 page:tools=read installed call answer applied passed end close",
    "declare expect quiet list page installed call answer applied passed end close",
    "declare expect session list page installed signal change:publish list page installed call answer applied passed end close",
    "declare:read,read expect session list page installed call:read answer passed end close",
    "declare expect session list page installed:core call answer applied passed end close",
    "declare expect session list page approve installed call answer applied passed end close",
    f"declare:read,read {SETUP} call:read tool_error call:read answer call answer applied passed end close",
    f"declare:key=k {SETUP} call:key=k tool_error call:key=k answer applied:key=k,count=1 passed end close",
    f"{SETUP} call died applied passed open offer negotiated confirmed list page installed end close",
    "declare expect session list page installed call:token=t progress:1 progress:2 answer applied:query passed end close",
    "declare expect:proves session list page installed call answer passed end close",
    "declare expect:judged session list page installed call answer applied passed:judged end close",
    "expect declare stateless listen acknowledged list page installed call answer applied passed end close",
    "expect declare stateless list page:ttl=300 installed call ask retry answer applied passed end close",
    "declare expect session list page installed challenged:url call answer applied passed end close",
    f"{SETUP} @notes session list page installed call:read answer applied @tickets call answer applied passed close",
    "expect declare session list page installed call task task_is:working task_is:completed,result applied passed end close",
    f"{SETUP} call answer applied passed close gap end",
)
BUSY: Final[tuple[str, ...]] = (
    WORKING,
    f"{SETUP} call",
    f"{SETUP} call:token=t +20 progress:1 +20 progress:2",
    f"{SETUP} call answer applied call:token=u",
    f"{SETUP} call ask",
    "declare expect session list",
    "declare expect session list page:next=c1,tools=publish list:c1",
    f"{SETUP} call task task_is:working",
)
BAD: Final[tuple[tuple[str, str], ...]] = (
    ("needs_auth", f"{SETUP} call challenged:401 error:0,status=401 end close"),
    ("needs_auth", f"{SETUP} call challenged:403 error:0,status=403 end close"),
    ("needs_auth", f"{SETUP} call challenged:url error:-32042 end close"),
    ("incompatible_session", "declare expect open offer refused end close"),
    ("incompatible_session", "declare expect open offer:1999-01-01 negotiated:,version=1999-01-01 confirmed list page installed end close"),
    ("incompatible_session", f"run:capabilities=resources {SETUP} call answer applied passed end close"),
    ("stale_catalog", f"{SETUP} call answer applied passed signal change:publish end close"),
    ("stale_catalog", "declare expect session list page:next=c1,tools=publish installed call answer applied passed end close"),
    ("stale_catalog", f"{SETUP} signal list list_failed call answer applied passed end close"),
    ("stale_catalog", "declare expect session list page installed:,view=old call answer applied passed end close"),
    ("stale_catalog", f"{SETUP} call:ghost answer applied passed end close"),
    ("stale_catalog", f"approve {SETUP} change:publish signal list page installed call answer applied passed end close"),
    ("stale_catalog", f"{SETUP} signal change:publish call answer list page installed end close"),
    ("effect_unknown", f"{SETUP} call died end close"),
    ("effect_unknown", f"{SETUP} call cancel end close"),
    ("effect_unknown", f"{SETUP} call +700 end close"),
    ("effect_unknown", f"{SETUP} call tool_error applied end close"),
    ("effect_unknown", f"{SETUP} call task task_gone end close"),
    ("effect_unknown", f"{SETUP} call answer applied passed absent end close"),
    ("protocol_error", f"{SETUP} call error end close"),
    ("protocol_error", f"{SETUP} call invalid end close"),
    ("protocol_error", f"{SETUP} call answer applied passed unpaired end close"),
    ("protocol_error", f"{SETUP} call answer applied passed malformed end close"),
    ("tool_failed", f"{SETUP} call tool_error absent end close"),
    ("tool_failed", f"declare:read,read {SETUP} call:read died end close"),
    ("tool_failed", f"{SETUP} call died absent end close"),
    ("false_success", f"{SETUP} call answer applied broken end close"),
    ("false_success", f"{SETUP} call answer absent passed end close"),
    ("false_success", f"{SETUP} call answer applied passed broken end close"),
    ("false_success", f"{SETUP} call answer applied:count=2 passed end close"),
    ("false_success", f"declare:key=k {SETUP} call:key=k answer applied call:key=k answer applied passed end close"),
)
"""A history for every reason to be bad, with its state."""

UNPROVED: Final[tuple[str, ...]] = (
    "declare session list page installed call answer applied end close",
    f"{SETUP} call answer passed end close",
    "declare expect session list page call answer applied passed end close",
    f"{SETUP} call answer applied:self passed:self end close",
    f"{SETUP} call answer applied crashed end close",
    f"{SETUP} call answer applied accept end close",
)

SPICE: Final[tuple[str, ...]] = (
    "signal", "change:publish", "list", "page", "installed", "installed:tap", "installed:,view=old", "call", "answer",
    "tool_error", "error", "cancel", "applied", "absent", "applied:self", "passed", "broken", "crashed", "declare:publish,read",
    "approve", "unpaired", "junk", "died", "open", "challenged:401", "challenged:403", "refused", "pinged", "ask", "retry",
    "task", "task_gone", "accept", "gap", "+40", "+400", "list_failed", "cosmetic:publish", "call:ghost", "call:read", "close",
    "end", "beat", "offer", "negotiated", "confirmed",
    "@notes", "@tickets", "#2", "#0", "modern", "stream", "end:s1", "listen", "acknowledged", "unsubscribed", "person_asked",
    "person_answered",
    "call:publish,key=k", "applied:key=k", "applied:key=k,count=2", "expect:name=page", "passed:name=page", "installed:view=part",
    "call:publish,token=t", "progress:3", "negotiated:quiet", "installed:core", "installed:sampled", "open:http", "lost", "invalid",
)  # fmt: skip
"""Words that are thrown into a line to make it another history, good or bad."""


class Case(NamedTuple):
    """A whole history with its verdict."""

    line: str
    history: History
    verdict: Verdict
    attested: bool

    def again(self, events: Sequence[Event]) -> Verdict:
        """The verdict over other evidence at the same instant."""
        return judge(events, as_of_us=self.history.end_us)


def case(line: str, *, closed: bool = True, attested: bool = False) -> Case:
    """The history of `line`, judged two seconds after its last event."""
    told = history(line, closed=closed, attested=attested, wait_s=2)
    whole = History(told.events, told.end_us)
    return Case(line, whole, judge(whole.events, as_of_us=whole.end_us), attested)


def cases(rng: Random) -> Iterator[Case]:
    """Whole histories without end: the tables, and each line with words thrown in; open ones attested to be judged at all."""
    lines = [*GOOD, *(line for _, line in BAD), *UNPROVED]
    while True:
        for line in lines:
            yield case(line, attested=rng.random() < 0.5)
            yield case(_spiced(line, rng), attested=rng.random() < 0.5)
        for line in BUSY:
            yield case(line, closed=False, attested=True)
            yield case(_spiced(line, rng), closed=False, attested=True)


def invented(rng: Random, *, closed: bool | None = None) -> Case:
    """One history with words thrown in; an open one is attested to be judged at all."""
    line = rng.choice((*GOOD, *(line for _, line in BAD), *UNPROVED, *BUSY))
    closed = rng.random() < 0.5 if closed is None else closed
    return case(_spiced(line, rng), closed=closed, attested=not closed)


def _spiced(line: str, rng: Random) -> str:
    words = line.split()
    for _ in range(rng.randint(1, 4)):
        words.insert(rng.randrange(len(words) + 1), rng.choice(SPICE))
    return " ".join(words)


# --- damage ----------------------------------------------------------------------------------------------------------

Damage = Callable[[list[Event], Random], list[Event]]


def _drop_some(events: list[Event], rng: Random) -> list[Event]:
    gone = set(rng.sample(range(len(events)), min(len(events), rng.randint(1, 4))))
    return [event for place, event in enumerate(events) if place not in gone]


def _drop_block(events: list[Event], rng: Random) -> list[Event]:
    start = rng.randrange(len(events))
    return events[:start] + events[start + rng.randint(1, 6) :]


def _drop_most(events: list[Event], rng: Random) -> list[Event]:
    return rng.sample(events, max(1, len(events) // rng.randint(2, 6)))


def _truncate(events: list[Event], rng: Random) -> list[Event]:
    """Cut the tail of one session, or of all of them at one instant."""
    if rng.random() < 0.3:
        until = rng.choice(events).time_us
        return [event for event in events if event.time_us < until]
    victim = rng.choice(events)
    return [x for x in events if x.session != victim.session or x.source != victim.source or x.sequence < victim.sequence]


def _behead(events: list[Event], rng: Random) -> list[Event]:
    victim = rng.choice(events)
    return [x for x in events if x.session != victim.session or x.source != victim.source or x.sequence > victim.sequence]


def _unclose(events: list[Event], rng: Random) -> list[Event]:
    """Drop closing events, maybe with what stands just before them."""
    chosen = {event.session for event in events if isinstance(event.fact, e.EvidenceClosed) and rng.random() < 0.6}
    last = {event.session: event.sequence - rng.randint(0, 2) for event in events if isinstance(event.fact, e.EvidenceClosed)}
    return [event for event in events if event.session not in chosen or event.sequence < last[event.session]]


def _swap(events: list[Event], rng: Random) -> list[Event]:
    """Two events change places: each gets the other's number and time, or only the other's fact."""
    if len(events) < 2:
        return events
    one, other = rng.sample(range(len(events)), 2)
    a, b = events[one], events[other]
    swapped = list(events)
    swapped[one] = trusted(_as(a, b.fact))
    swapped[other] = trusted(_as(b, a.fact))
    return swapped


def _edit(events: list[Event], rng: Random) -> list[Event]:
    """An event says something else under its number, its hash as before: a reader takes it for a gap."""
    place = rng.randrange(len(events))
    edited = list(events)
    edited[place] = trusted(_as(events[place], rng.choice(FORGED)))
    return edited


def _forge(events: list[Event], rng: Random) -> list[Event]:
    """The same by somebody who knows how to hash, but holds only one event, and not one of the very instant that is judged."""
    newest = max(event.time_us for event in events)
    places = [place for place, event in enumerate(events) if event.time_us < newest]
    if not places:
        return events
    place = rng.choice(places)
    edited = list(events)
    edited[place] = _rehashed(events[place], rng.choice(FORGED))
    return edited


def _equivocate(events: list[Event], rng: Random) -> list[Event]:
    """Two different events under one id."""
    victim = rng.choice(events)
    return [*events, _rehashed(victim, rng.choice(FORGED))]


DAMAGES: Final[tuple[Damage, ...]] = (
    _drop_some, _drop_block, _drop_most, _truncate, _truncate, _behead, _unclose, _swap, _edit, _forge, _equivocate,
)  # fmt: skip

FORGED: Final[tuple[Fact, ...]] = (
    e.OutcomeReported(outcome="report", status="passed"),
    e.OutcomeReported(outcome="report", status="failed"),
    e.EffectReported(server="tickets", call="3", status="applied"),
    e.EffectReported(server="tickets", call="3", status="absent"),
    e.CallAnswered(server="tickets", peer="0", id="3"),
    e.CallStarted(server="tickets", peer="0", id="9", tool="read"),
    e.CallProgress(server="tickets", peer="0", token="t", progress=9.0),
    e.EffectDeclared(server="tickets", tool="publish", effect="read"),
    e.OutcomeDeclared(outcome="report", verifier="file"),
    e.ListStarted(server="tickets", peer="0", id="2", version="2025-11-25"),
    e.SessionNegotiated(server="tickets", peer="0", method="initialize", version="2025-11-25", list_changed=True),
    e.RequestAnswered(server="tickets", peer="0", method="ping"),
    e.EvidenceBeat(),
    e.RunClosed(),
    e.EvidenceClosed(count=3),
)


def _as(event: Event, fact: Fact) -> Event:
    return Event(event.source, event.session, event.sequence, event.run, event.time_us, fact, event.prev, event.hash)


def _rehashed(event: Event, fact: Fact) -> Event:
    digest = link(event.prev, event.session, event.sequence, event.time_us, fact.KIND, encode_fact(fact))
    return Event(event.source, event.session, event.sequence, event.run, event.time_us, fact, event.prev, digest)


def damage(whole: Case, rng: Random) -> list[Event]:
    """The evidence of `whole` after one to three damages, delivered in any order, some of it twice.

    A session that nobody attests keeps one event: its loss could not be seen.
    """
    events = list(whole.history.events)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if events:
            events = rng.choice(DAMAGES)(events, rng)
    left = {event.session for event in events}
    if not whole.attested or "attest" not in left:
        for session in {event.session: event for event in whole.history.events if event.session not in left and event.session != "attest"}:
            events.append(rng.choice([event for event in whole.history.events if event.session == session]))
    if events and rng.random() < 0.3:
        events += rng.choices(events, k=rng.randint(1, 3))
    if rng.random() < 0.5:
        rng.shuffle(events)
    return events


GREEN: Final = {"healthy": 0, "working": 1, "unproven": 2}
_BAD: Final = 2
"""A bad state may become `unproven`: what proved it is gone, and the verdict names what is missing."""


def greener(whole: Verdict, damaged: Verdict) -> str:
    """How `damaged` is greener than `whole`, in words; "" where it is not."""
    if GREEN.get(damaged.state, _BAD) < GREEN.get(whole.state, _BAD):
        return f"{whole.state} became {damaged.state}"
    if damaged.as_of_us != whole.as_of_us:
        return ""  # the close of the run was lost: the catalog is judged as of another instant
    before = {report.server: report.verdict for report in whole.catalogs}
    for report in damaged.catalogs:
        if report.verdict == "converged" and before.get(report.server) != "converged":
            return f"catalog {report.server}: {before.get(report.server)} became converged"
    return ""


def shrunk(whole: Case, events: list[Event]) -> list[Event]:
    """The damaged evidence, given back as many of its lost or changed events as still show the defect."""
    current = list(dict.fromkeys(events))
    for event in whole.history.events:
        candidate = [other for other in current if other.id != event.id or other.source != event.source] + [event]
        if set(candidate) != set(current) and greener(whole.verdict, whole.again(candidate)):
            current = candidate
    return sorted(current, key=lambda event: (event.time_us, event.source, event.sequence))


def explained(whole: Case, events: list[Event]) -> str:
    """The defect for a person: the history, what is missing, what is there instead, and both verdicts."""
    least = shrunk(whole, events)
    damaged = whole.again(least)
    kept = set(least)
    lost = [event for event in whole.history.events if event not in kept]
    added = [event for event in least if event not in set(whole.history.events)]
    lines = [
        f"{greener(whole.verdict, damaged)} (attested: {whole.attested})",
        f"  history: {whole.line}",
        *(f"  lost:    {event.id} {event.fact!r}" for event in lost),
        *(f"  instead: {event.id} {event.fact!r}" for event in added),
        f"  before:  {[(c.type, c.reason) for c in whole.verdict.deciding]} {[(c.verdict, *c.reasons) for c in whole.verdict.catalogs]}",
        f"  after:   {[(c.type, c.reason) for c in damaged.deciding]} {[(c.verdict, *c.reasons) for c in damaged.catalogs]}",
    ]
    return "\n".join(lines)


def search(count: int, seed: int, *, per_case: int = 40, most: int = 5) -> tuple[int, dict[tuple[str, str], int], list[str]]:
    """Judge `count` damaged histories: how many, a table of (state before, state after), and at most `most` defects."""
    rng = Random(seed)
    table: dict[tuple[str, str], int] = {}
    defects: list[str] = []
    done = 0
    for whole in cases(rng):
        for _ in range(per_case):
            events = damage(whole, rng)
            verdict = whole.again(events)
            done += 1
            pair = whole.verdict.state, verdict.state
            table[pair] = table.get(pair, 0) + 1
            if greener(whole.verdict, verdict):
                defects.append(explained(whole, events))
                if len(defects) >= most:
                    return done, table, defects
            if done >= count:
                return done, table, defects
    return done, table, defects
