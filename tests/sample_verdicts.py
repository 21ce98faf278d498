"""Verdicts made by hand, so that what is rendered does not depend on what a judge decides."""

from __future__ import annotations

from witnessmark.model.verdict import CallReport, CatalogReport, Condition, Counts, Verdict

AT = 1_796_000_000_123_456
"""2026-11-30T00:53:20.123456Z"""
HOSTILE = "pub\x1b[2J\u202elish\r\n" + "x" * 200


def condition(**members: object) -> Condition:
    given: dict[str, object] = {"type": "OutcomeVerified", "status": "unknown", "reason": "OutcomeMissing", "layer": "outcome"}
    return Condition(**{**given, **members})  # type: ignore[arg-type]


SESSION = condition(
    type="SessionNegotiated", status="true", reason="Negotiated", layer="session", server="tickets", evidence=("s1/1", "s1/2")
)
CATALOG = condition(
    type="CatalogConverged",
    status="true",
    reason="SilenceTrusted",
    layer="catalog",
    server="tickets",
    evidence=("s1/4", "s1/5"),
    observed_generation=2,
)
REQUEST = condition(type="CallsAnswered", status="true", reason="AllAnswered", layer="request", evidence=("s1/9",))
EFFECT = condition(type="EffectApplied", status="true", reason="EffectApplied", layer="effect", call="3", evidence=("s1/10",))
PASSED = condition(status="true", reason="OutcomeVerified", evidence=("s1/11",), last_transition_us=AT, facts=(("outcome", "report"),))
FAILED = condition(
    status="false",
    reason="OutcomeFailed",
    evidence=tuple(f"s1/{n}" for n in range(11, 21)),
    last_transition_us=AT - 5,
    facts=(("outcome", "report"),),
)
UNPROVED = condition(type="EffectApplied", reason="EffectUnproved", layer="effect", call="3", facts=(("tool", "publish_report"),))

TICKETS = CatalogReport(
    server="tickets",
    verdict="converged",
    reasons=("SilenceTrusted",),
    delivered=True,
    generation=2,
    observed_generation=2,
    installed_generation=2,
    discovered="sha256:" + "a1" * 32,
    installed="sha256:" + "a1" * 32,
    grade="exact",
    pages=2,
    tools=5,
    evidence=("s1/4",),
    shown=5,
    listing_channel=True,
)
STALE = CatalogReport(
    server="search",
    verdict="stale",
    reasons=("SignalUnread",),
    delivered=True,
    generation=3,
    observed_generation=2,
    discovered="sha256:" + "b2" * 32,
    pages=1,
    tools=12,
    affected=("find", "find_all", "find_one", "find_other"),
    in_progress=True,
)
CALL = CallReport(
    id="3",
    channel="0",
    tool="publish_report",
    server="tickets",
    state="succeeded",
    effect="applied",
    answer="result",
    started_us=AT - 2_000_000,
    ended_us=AT - 1_500_000,
    evidence=("s1/8", "s1/9"),
    key="k1:" + "0f" * 16,
)
OPEN_CALL = CallReport(
    id='"7"',
    channel="0",
    tool=HOSTILE,
    server="search",
    state="open",
    effect="unknown",
    answer="",
    started_us=AT - 1_000_000,
    progress=4,
    invalid_progress=(("not_increasing", 2),),
    reasons=("CallOpen",),
)
SETTLED = CallReport(
    id="2",
    channel="0",
    tool="publish_report",
    server="tickets",
    state="tool_failed",
    effect="absent",
    answer="tool_error",
    settled=True,
    started_us=AT - 4_000_000,
    ended_us=AT - 3_999_500,
    reasons=("ToolError",),
)
POLICY: tuple[tuple[str, str | int | float | bool | None], ...] = (("max_age_s", 300.0), ("installed_witness", "reported"))

HEALTHY = Verdict(
    state="healthy",
    as_of_us=AT,
    since_us=AT - 1_000,
    conditions=(SESSION, CATALOG, REQUEST, EFFECT, PASSED),
    deciding=(),
    catalogs=(TICKETS,),
    calls=(CALL,),
    counts=Counts(events=12, calls=1, succeeded=1, sessions=1, other_requests=3),
    run="r-1",
    run_closed=True,
    log_closed=True,
    policy=POLICY,
)
FALSE_SUCCESS = Verdict(
    state="false_success",
    as_of_us=AT,
    since_us=AT - 5,
    conditions=(SESSION, CATALOG, REQUEST, UNPROVED, FAILED),
    deciding=(FAILED,),
    catalogs=(TICKETS, STALE),
    calls=(OPEN_CALL, SETTLED, CALL),
    counts=Counts(events=20, calls=3, open=1, succeeded=1, failed=1, recovered=1, junk_lines=2, sessions=2),
    run="r-2",
    policy=POLICY,
    notes=("silence_trusted", "the log was read from a file that is still growing"),
    vantage=("proxy", "receipt:verifier"),
)
NOTHING_SEEN = Verdict(
    state="unproven",
    as_of_us=5_000_000,
    since_us=None,
    conditions=(
        condition(type="SessionNegotiated", reason="NotNegotiated", layer="session"),
        condition(type="CatalogConverged", reason="NeverTraversed", layer="catalog"),
        condition(reason="VerifierNotDeclared"),
    ),
    deciding=(),
    catalogs=(),
    calls=(),
    counts=Counts(),
)
MANY_CALLS = Verdict(
    state="working",
    as_of_us=AT,
    since_us=AT,
    conditions=(),
    deciding=(condition(type="CallsAnswered", reason="CallOpen", layer="request", call="41"),),
    catalogs=(),
    calls=tuple(
        CallReport(id=str(n), channel="0", tool="t", server="s", state="open", effect="unknown", answer="", started_us=AT + n)
        for n in range(42)
    ),
    counts=Counts(calls=42, open=42),
    run="r-3",
)

ALL = {
    "healthy": HEALTHY,
    "false_success": FALSE_SUCCESS,
    "nothing_seen": NOTHING_SEEN,
    "many_calls": MANY_CALLS,
}
