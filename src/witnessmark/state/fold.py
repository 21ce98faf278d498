"""The fold: evidence in canonical order -> the state of a run. State holds times, never ticks, so a replay is exact.

`advance` changes its state in place (a copy of every call for every event would make the fold quadratic) and returns nothing;
nobody else changes it. Continuity is checked here: sequence numbers without holes, one event under one id, a chain that
holds. A hole is a gap, and a gap blinds every catalog and leaves the request layer Unknown for good.
Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from witnessmark.model import evidence as e
from witnessmark.model.chain import GENESIS
from witnessmark.state.call import Call
from witnessmark.state.order import ALTERED, UNREADABLE
from witnessmark.state.run import MODERN_PEER, Damage, Log, RunState
from witnessmark.state.session import Mark

DAMAGED: Final = frozenset({ALTERED, UNREADABLE})
"""Reasons of gaps that a reader puts where an event was changed; other gaps are stated by the observer itself."""


def _continuity(state: RunState, event: e.Event, mark: Mark) -> bool:
    """Check the event's place in its log; False where it is not to be folded (an equivocation)."""
    key = (event.source, event.session)
    log = state.logs.get(key)
    if log is None:
        log = state.logs[key] = Log()
    if event.sequence < log.expected:
        state.equivocations.add(mark)
        state.damage(mark)
        return False
    if event.sequence > log.expected:
        state.damage(mark)
    elif event.hash and (log.head or not event.sequence) and event.prev != (log.head or GENESIS):
        # Without the previous hash an event's own hash covers nothing; only after a hole it may be unknown.
        state.chain.add(mark)
        state.damage(mark)
    log.expected = event.sequence + 1
    log.head = event.hash
    log.covered_us = max(log.covered_us, event.time_us)
    if log.closed is not None:
        state.chain.add(mark)
        state.damage(mark)
        log.closed = None
    return True


def _closed(state: RunState, event: e.Event, fact: e.EvidenceClosed, mark: Mark) -> None:
    log = state.logs[event.source, event.session]
    if fact.count == event.sequence and (not fact.head or not event.prev or fact.head == event.prev.hex()):
        log.closed = mark
    else:
        state.chain.add(mark)
        state.damage(mark)


def _checkpoint(state: RunState, event: e.Event, fact: e.EvidenceCheckpoint) -> None:
    state.logs[event.source, event.session].attests = True
    known = state.checkpoints.get(fact.of)
    if known is None or (fact.count, event.time_us) >= (known[0].count, known[1]):
        state.checkpoints[fact.of] = (fact, event.time_us)


def settle_checkpoints(state: RunState, mark: Mark | None) -> None:
    """Compare the attested counts and heads with what was read: equal ones let a log speak for longer, others are gaps."""
    for (_, session), log in state.logs.items():
        found = state.checkpoints.pop(session, None)
        if found is None or mark is None:
            continue
        attested, time_us = found
        if attested.count == log.expected and (not log.head or attested.head == log.head.hex()):
            log.covered_us = max(log.covered_us, time_us)
        elif attested.count >= log.expected:
            # More events were attested than are here, or the last one is another than the attested one.
            state.damage(mark)
    if mark is not None and any(attested.count for attested, _ in state.checkpoints.values()):
        # A session that was attested is not here at all.
        state.damage(mark)
    state.checkpoints.clear()


# --- facts -----------------------------------------------------------------------------------------------------------


def _opened(state: RunState, fact: e.SessionOpened, mark: Mark) -> None:
    server = state.server(fact.server)
    session = server.session(fact.peer)
    catalog = server.catalog(fact.peer)
    if session.open(fact, mark):
        catalog.blinded("reconnect", mark)
    elif fact.listening and catalog.lost_channel is not None:
        catalog.blinded("stream", mark)
        catalog.lost_channel = None
    if fact.transport == "stdio":
        server.pipes.add(fact.channel)
        modern = server.sessions.get(MODERN_PEER)
        if modern is not None and modern.closed is not None:
            # 2026-07-28 has no session to lose, but a new process may have another catalog.
            modern.reopen()
            server.catalog(MODERN_PEER).blinded("reconnect", mark)


def _negotiated(state: RunState, fact: e.SessionNegotiated, mark: Mark) -> None:
    server = state.server(fact.server)
    if server.session(fact.peer).negotiate(fact, mark):
        server.catalog(fact.peer).blinded("reconnect", mark)
    server.authorization.accept(fact.method, "", mark)


def _accept(state: RunState, fact: e.Fact, method: str, tool: str, mark: Mark) -> None:
    server = state.server(fact.server)
    server.session(fact.peer).use(method, mark)
    server.authorization.accept(method, tool, mark)


def _session_closed(state: RunState, fact: e.SessionClosed, mark: Mark) -> None:
    server = state.server(fact.server)
    session = server.session(fact.peer)
    pipe = session.transport == fact.transport == "stdio"
    if session.close(fact, mark):
        server.catalog(fact.peer).lost_channel = mark
    server.pipes.discard(fact.channel)
    modern = server.sessions.get(MODERN_PEER)
    if pipe and modern is not None and not server.pipes:
        modern.close(fact, mark)
    for peer, catalog in server.catalogs.items():
        catalog.channel_lost(fact.channel, mark, whole=pipe and peer == fact.peer)
    state.calls.lose_channel(fact.server, fact.channel, fact.peer, mark, whole=pipe)


def _changed(state: RunState, fact: e.CatalogChanged, mark: Mark) -> None:
    """A signal is for the catalog of its session. One that names no subscription (2026-07-28 demands it) is for what is
    listed without a session on the same pipe too, and one of a stream whose session was not seen may be for any of them.
    """
    server = state.server(fact.server)
    server.signals += 1
    own = server.catalogs.get(fact.peer)
    if fact.subscription or (fact.peer and own is None) or not server.catalogs:
        own = server.catalog(fact.peer)
    heard = [own] if own is not None else []
    if not fact.subscription:
        heard += [one for peer, one in server.catalogs.items() if one is not own and (peer == MODERN_PEER or not fact.peer)]
    for catalog in heard:
        catalog.changed(fact, mark)


def _page(state: RunState, fact: e.ListPage, mark: Mark) -> None:
    _accept(state, fact, "tools/list", "", mark)
    catalog = state.server(fact.server).catalog(fact.peer)
    walk = catalog.page(fact, mark)
    if walk is not None and walk is catalog.complete:
        for call in catalog.settle_pending(walk):
            if isinstance(call, Call):
                state.calls.stale_call(call)


def _call_started(state: RunState, fact: e.CallStarted, mark: Mark) -> None:
    call, new = state.calls.start(fact, mark, state.effects)
    if new:
        if state.receipts.early:
            state.receipts.deliver(call, state.effects)
        server = state.server(fact.server)
        server.called.setdefault(fact.tool, mark)
        server.catalog(fact.peer).called(fact.tool, mark, call, fits_older=fact.fits_older)


def _call_answered(state: RunState, fact: e.CallAnswered, mark: Mark) -> None:
    call = state.calls.answer(fact, mark)
    if call is not None and fact.outcome in ("result", "tool_error", "input_required", "task"):
        _accept(state, fact, "tools/call", call.tool, mark)


def _request_answered(state: RunState, fact: e.RequestAnswered, mark: Mark) -> None:
    state.other_requests += 1
    if fact.code is not None:
        state.other_errors += 1
    elif fact.by == "server":
        _accept(state, fact, fact.method, "", mark)


def _unpaired(state: RunState, fact: e.ResponseUnpaired, mark: Mark) -> None:
    """A response that no request waits for. Where observations were lost before it, its request may be among them: then it
    proves nothing, and the gap says that something is not known.
    """
    if fact.reason == "nobody" and state.last_gap is not None:
        state.advisories += 1
    else:
        state.unpaired.setdefault(fact.reason, Damage()).add(mark)


def _malformed(state: RunState, fact: e.WireMalformed, mark: Mark) -> None:
    if fact.fatal:
        state.fatal.setdefault(fact.finding, Damage()).add(mark)
    elif fact.finding == "JunkLine":
        state.junk += 1
    else:
        state.advisories += 1


def _approved(state: RunState, fact: e.ContractApproved, mark: Mark) -> None:
    if state.closed is not None:
        return  # a closed run is judged by what was approved before its close
    server = state.server(fact.server)
    server.approved = {tool.name: tool for tool in fact.tools}
    server.approved_mark = mark


def _run_closed(state: RunState, fact: e.RunClosed, mark: Mark) -> None:
    del fact
    if state.closed is None:
        state.closed = mark


def _run_opened(state: RunState, fact: e.RunOpened, mark: Mark) -> None:
    del mark
    known = state.opened
    if known is None:
        state.opened = fact
        return
    # What a run requires of its sessions is never taken back: a second word may only add to the first.
    both = tuple(version for version in fact.requires_versions if version in known.requires_versions)
    state.opened = e.RunOpened(
        task=fact.task or known.task,
        declaration=known.declaration or fact.declaration,
        requires_versions=both or known.requires_versions or fact.requires_versions,
        requires_capabilities=tuple(dict.fromkeys((*known.requires_capabilities, *fact.requires_capabilities))),
    )


Handler = Callable[[RunState, Any, Mark], object]

HANDLERS: Final[dict[type[e.Fact], Handler]] = {
    e.SessionOpened: _opened,
    e.SessionOffered: lambda s, f, m: s.server(f.server).session(f.peer).offer(f, m),
    e.SessionNegotiated: _negotiated,
    e.SessionConfirmed: lambda s, f, m: s.server(f.server).session(f.peer).confirm(m),
    e.SessionRefused: lambda s, f, m: s.server(f.server).session(f.peer).refuse(f, m),
    e.SessionChallenged: lambda s, f, m: s.server(f.server).authorization.challenge(f, m),
    e.SessionClosed: _session_closed,
    e.CatalogChanged: _changed,
    e.ListStarted: lambda s, f, m: s.server(f.server).catalog(f.peer).list_started(f, m),
    e.ListPage: _page,
    e.ListFailed: lambda s, f, m: s.server(f.server).catalog(f.peer).failed(f, m),
    e.SubscriptionAsked: lambda s, f, m: s.server(f.server).catalog(f.peer).asked_subscription(f),
    e.SubscriptionAcknowledged: lambda s, f, m: s.server(f.server).catalog(f.peer).acknowledged(f, m),
    e.SubscriptionEnded: lambda s, f, m: s.server(f.server).catalog(f.peer).unsubscribed(f, m),
    e.CatalogInstalled: lambda s, f, m: s.server(f.server).installed.report(f, m),
    e.ContractApproved: _approved,
    e.CallStarted: _call_started,
    e.CallProgress: lambda s, f, m: s.calls.progress(f, m),
    e.CallCancelled: lambda s, f, m: s.calls.cancel(f, m),
    e.CallExpired: lambda s, f, m: s.calls.expire(f, m),
    e.ClockJumped: lambda s, f, m: setattr(s, "clock_jumped", m),
    e.PersonAsked: lambda s, f, m: s.calls.person_asked(f, m),
    e.PersonAnswered: lambda s, f, m: s.calls.person_answered(f, m),
    e.CallAnswered: _call_answered,
    e.TaskReported: lambda s, f, m: s.calls.task(f, m),
    e.RequestAnswered: _request_answered,
    e.ResponseUnpaired: _unpaired,
    e.WireMalformed: _malformed,
    e.EffectDeclared: lambda s, f, m: s.effects.declare(f, m),
    e.EffectReported: lambda s, f, m: s.receipts.report(s.calls, s.effects, f, m),
    e.EffectAccepted: lambda s, f, m: s.receipts.accept(s.calls, f, m),
    e.OutcomeDeclared: lambda s, f, m: s.outcomes.declare(f, m),
    e.OutcomeReported: lambda s, f, m: s.outcomes.report(f, m),
    e.RunOpened: _run_opened,
    e.RunClosed: _run_closed,
    e.GateDecided: lambda s, f, m: s.calls.gated(f, m),
    e.GateListed: lambda s, f, m: s.server(f.server).catalog(f.peer).witnessed(f, m),
    e.EvidenceGap: lambda s, f, m: s.damage(m) if f.reason in DAMAGED else s.gap(m),
}
"""What each fact does. CallArriving, GateChanged and EvidenceBeat only move the time up to which the log speaks; kinds that this version
does not know keep their place in the order and prove nothing."""

_RECEIPTS: Final = (
    e.CatalogInstalled, e.ContractApproved, e.EffectDeclared, e.EffectReported, e.EffectAccepted, e.OutcomeDeclared,
    e.OutcomeReported, e.RunOpened, e.RunClosed, e.EvidenceCheckpoint, e.EvidenceClosed, e.EvidenceGap,
)  # fmt: skip
_BROUGHT: Final = (frozenset(_RECEIPTS) | {e.UnknownFact}) - {e.RunClosed, e.EvidenceCheckpoint, e.EvidenceClosed, e.EvidenceGap}


def _after_the_run(fact: e.Fact, log: Log) -> bool:
    """True for what an observer that never brought a receipt says it lost after the close: it belongs to later runs."""
    return isinstance(fact, e.EvidenceGap) and fact.reason not in DAMAGED and not log.brings


def advance(state: RunState, event: e.Event) -> None:
    """Fold one event, the next in canonical order, into the state."""
    mark = Mark(state.events, event.time_us, event.id)
    state.events += 1
    if event.run != state.run:
        if state.run and event.run:
            state.other_run = event.run
        else:
            state.run = event.run or state.run
    if state.first is None:
        state.first = mark
    if state.last is None or event.time_us >= state.last.time_us:
        state.last = mark
    if not _continuity(state, event, mark):
        return
    fact = event.fact
    kind = type(fact)
    handler = HANDLERS.get(kind)
    log = state.logs[event.source, event.session]
    if kind in _BROUGHT:
        log.brings = True
    elif kind not in _RECEIPTS:
        log.observes = True
    if handler is not None:
        if state.closed is None or (kind in _RECEIPTS and not _after_the_run(fact, log)):
            handler(state, fact, mark)
    elif kind is e.EvidenceClosed:
        _closed(state, event, fact, mark)  # type: ignore[arg-type]
    elif kind is e.EvidenceCheckpoint:
        _checkpoint(state, event, fact)  # type: ignore[arg-type]


def fold(events: Iterable[e.Event]) -> RunState:
    """The state of the run that `events`, in canonical order, tell of (state.order.canonical_order makes that order)."""
    state = RunState()
    for event in events:
        advance(state, event)
    settle_checkpoints(state, state.last)
    return state
