"""The state machines as tables: what is final stays final, and an absent pair changes nothing."""

from __future__ import annotations

import pytest

from witnessmark.model.evidence import (
    CallStarted,
    ListPage,
    ListStarted,
    SessionNegotiated,
    SessionOffered,
    SessionRefused,
)
from witnessmark.state.call import CALL, OPEN_PHASES, Call, CallPhase, CallTrigger
from witnessmark.state.session import SESSION, Mark, Phase, Session, Trigger
from witnessmark.state.walk import WALK, Step, Walk, WalkPhase

AT = Mark(0, 0, "s/0")


@pytest.mark.parametrize("phase", CallPhase)
@pytest.mark.parametrize("trigger", CallTrigger)
def test_a_call_moves_only_as_its_table_says(phase: CallPhase, trigger: CallTrigger) -> None:
    call = Call(CallStarted(id="1", tool="publish"), AT)
    call.phase = phase
    moved = call.move(trigger)
    assert (moved, call.phase) == ((phase, trigger) in CALL, CALL.get((phase, trigger), phase))


def test_an_answered_call_stays_answered_and_every_other_one_can_still_be() -> None:
    for phase in CallPhase:
        leaves = {trigger for (start, trigger) in CALL if start is phase}
        if phase in {CallPhase.RETURNED, CallPhase.FAILED}:
            assert leaves == set()
        else:
            assert {CallTrigger.RESULT, CallTrigger.FAILURE} <= leaves
    assert all({CallTrigger.CANCEL, CallTrigger.LOSS} <= {trigger for (start, trigger) in CALL if start is phase} for phase in OPEN_PHASES)


def test_a_traversal_that_ended_stays_as_it_ended() -> None:
    assert not [pair for pair in WALK if pair[0] in {WalkPhase.COMPLETE, WalkPhase.BROKEN}]
    assert {WALK[phase, Step.BREAK] for phase in (WalkPhase.AWAITING, WalkPhase.WALKING)} == {WalkPhase.BROKEN}
    walk = Walk(ListStarted(id="1"), AT)
    walk.page(ListPage(id="1"), AT)
    walk.break_off("PageError", AT)
    assert (walk.phase, walk.reason) == (WalkPhase.COMPLETE, "")


def test_a_session_is_confirmed_by_the_client_or_by_use_and_a_modern_one_by_its_acceptance() -> None:
    for pair, target in SESSION.items():
        if target is Phase.CONFIRMED:
            assert pair[1] in {Trigger.CONFIRM, Trigger.USE, Trigger.ACCEPT_MODERN}
    phases = []
    session = Session("tickets", "0")
    session.offer(SessionOffered(method="initialize", version="2025-11-25"), AT)
    phases.append(session.phase)
    session.negotiate(SessionNegotiated(method="initialize", version="2025-11-25"), AT)
    phases.append(session.phase)
    session.confirm(AT)
    phases.append(session.phase)
    assert phases == [Phase.OFFERED, Phase.NEGOTIATED, Phase.CONFIRMED]


@pytest.mark.parametrize(
    "reason, method, cleared",
    [
        ("version", "ping", True),
        ("header", "tools/call", True),
        ("header", "ping", False),
        ("capability", "ping", False),
        ("lost", "tools/call", True),
        ("http", "ping", True),
        ("not_mcp", "tools/call", False),
        ("error", "tools/call", False),
    ],
)
def test_what_clears_a_refusal_depends_on_its_reason(reason: str, method: str, cleared: bool) -> None:
    session = Session("tickets", "0")
    session.negotiate(SessionNegotiated(method="initialize", version="2025-11-25"), AT)
    session.confirm(AT)
    session.refuse(SessionRefused(method="tools/call", reason=reason), AT)
    session.use(method, AT)
    assert (session.refusal is None) == cleared
    assert (session.phase is Phase.CONFIRMED) == cleared
    session.negotiate(SessionNegotiated(method="initialize", version="2025-11-25"), AT)
    assert session.refusal is None


def test_a_confirmation_without_a_negotiation_confirms_nothing() -> None:
    session = Session("tickets", "0")
    session.confirm(AT)
    assert session.phase is Phase.NONE
