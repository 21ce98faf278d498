"""The state of a run: one row for each state, for each row of the truth table, and for each bullet of verdicts.md section 3."""

from __future__ import annotations

import pytest

from damaged import BAD, BUSY, GOOD, UNPROVED
from histories import HEALTHY, history
from witnessmark.judges.judging import judge
from witnessmark.model.health import LAYERS, ROUTES
from witnessmark.model.policy import Policy
from witnessmark.model.reasons import REASONS
from witnessmark.model.verdict import Verdict

READY = "session list page installed"
DONE = "call answer applied passed"
SETUP = "declare expect session list page installed"
KEYED = f"declare:key=k {SETUP}"
READING = f"declare:read,read {SETUP}"
UNPROMISED = "declare session list page installed"
PROVES = "declare expect:proves session list page installed"


def verdict_of(line: str, policy: Policy | None = None, *, closed: bool = True) -> Verdict:
    told = history(line, closed=closed, attested=not closed, wait_s=1)
    return judge(told.events, policy, as_of_us=told.end_us)


def reasons_of(verdict: Verdict) -> set[str]:
    return {condition.reason for condition in verdict.deciding}


TRUTH_TABLE: list[tuple[str, str, str, str]] = [
    # (answer, effect, outcome) -> state, by a reason
    ("response unknown, effect unknown", f"{SETUP} call died", "effect_unknown", "ResponseLost"),
    ("response unknown, effect unknown, verified", f"{SETUP} call died passed", "effect_unknown", "ResponseLost"),
    ("success, applied, outcome failed", f"{SETUP} call answer applied broken", "false_success", "OutcomeFailed"),
    ("success, applied, no answer of the verifier", f"{SETUP} call answer applied", "unproven", "OutcomeMissing"),
    ("success, absent", f"{SETUP} call answer absent", "false_success", "EffectAbsent"),
    ("success, absent, verified", f"{SETUP} call answer absent passed", "false_success", "EffectAbsent"),
    ("success, unknown, verifier failed", f"{SETUP} call answer broken", "false_success", "OutcomeFailed"),
    ("success, unknown, no verifier", f"{UNPROMISED} call answer", "unproven", "EffectUnproved"),
    ("success, unknown, verified", f"{SETUP} call answer passed", "unproven", "EffectUnproved"),
    ("success, destination does not know, verified", f"{SETUP} call answer undecided passed", "unproven", "EffectUnproved"),
    ("failed, applied", f"{SETUP} call tool_error applied", "effect_unknown", "AnswerDisagrees"),
    ("protocol error, applied", f"{SETUP} call error applied", "effect_unknown", "AnswerDisagrees"),
    ("failed, absent", f"{SETUP} call tool_error absent", "tool_failed", "ToolError"),
    ("protocol error, absent", f"{SETUP} call error absent", "protocol_error", "RpcError"),
    ("response unknown, absent", f"{SETUP} call died absent", "tool_failed", "NotApplied"),
    ("response unknown, applied, no verifier", f"{UNPROMISED} call died applied", "unproven", "VerifierNotDeclared"),
    ("response unknown, applied, verifier failed", f"{SETUP} call died applied broken", "false_success", "OutcomeFailed"),
    ("failed, no receipt", f"{SETUP} call tool_error", "tool_failed", "ToolError"),
    ("protocol error, no receipt", f"{SETUP} call error", "protocol_error", "RpcError"),
    ("response unknown, accepted as unknown", f"{SETUP} call died accept passed", "unproven", "AcceptedUnknown"),
]


@pytest.mark.parametrize("line, state, reason", [row[1:] for row in TRUTH_TABLE], ids=[row[0] for row in TRUTH_TABLE])
def test_the_truth_table(line: str, state: str, reason: str) -> None:
    verdict = verdict_of(line)
    assert (verdict.state, reason in reasons_of(verdict)) == (state, True), reasons_of(verdict)


@pytest.mark.parametrize(
    "line, note",
    [
        (f"{SETUP} {DONE}", "silence_trusted"),
        (f"{SETUP} call died applied passed", "lost_and_reconciled"),
        (f"{SETUP} call tool_error applied passed", "answer_contradicted"),
        (f"{PROVES} call answer passed", "effect_proved_by_outcome"),
        (f"{PROVES} call answer applied:self passed", "effect_proved_by_outcome"),
    ],
)
def test_the_rows_of_the_truth_table_that_are_healthy_say_what_they_rest_on(line: str, note: str) -> None:
    verdict = verdict_of(line)
    assert (verdict.state, note in verdict.notes) == ("healthy", True), (reasons_of(verdict), verdict.notes)


def test_a_failed_call_without_receipt_leaves_its_effect_unknown() -> None:
    verdict = verdict_of(f"{SETUP} call tool_error")
    assert [(c.status, c.reason) for c in verdict.conditions if c.layer == "effect"] == [("unknown", "FailedEffectUnknown")]
    assert "retry before reconciliation" in verdict.forbidden


STATES: list[tuple[str, str, str]] = [
    # --- needs_auth
    ("a 401 on a call", f"{SETUP} call challenged:401 error:0,status=401", "needs_auth"),
    ("a 403 for a scope", f"{SETUP} call challenged:403 error:0,status=403", "needs_auth"),
    ("-32042 asks for a person at a URL", f"{SETUP} call challenged:url error:-32042", "needs_auth"),
    ("a handshake is no authorization to call", f"{SETUP} call challenged:401 error:0,status=401 offer negotiated confirmed", "needs_auth"),
    ("a challenge outranks everything else", f"{SETUP} call challenged:401 error:0,status=401 signal broken", "needs_auth"),
    ("a challenge followed by an accepted call", f"{SETUP} call challenged:401 error:0,status=401 {DONE}", "healthy"),
    ("-32042 followed by an accepted call", f"{SETUP} call challenged:url error:-32042 {DONE}", "healthy"),
    (
        "a challenge of the handshake, then accepted",
        f"declare expect open challenged:401,initialize offer negotiated confirmed list page installed {DONE}",
        "healthy",
    ),
    # --- incompatible_session
    ("no version is shared", "declare expect open offer refused", "incompatible_session"),
    ("headers refused", f"{SETUP} refused:header,method=tools/call", "incompatible_session"),
    ("a capability refused", f"{SETUP} refused:capability,method=tools/call", "incompatible_session"),
    ("a version that no revision has", "declare expect open offer negotiated:version=1999-01-01 confirmed", "incompatible_session"),
    ("a required capability was not negotiated", f"run:capabilities=resources {SETUP} {DONE}", "incompatible_session"),
    ("a required version was not negotiated", f"run:versions=2026-07-28 {SETUP} {DONE}", "incompatible_session"),
    ("what is required was negotiated", f"run:versions=2025-11-25,capabilities=tools {SETUP} {DONE}", "healthy"),
    (
        "a failed probe alone, after its window",
        "declare expect open offer refused:error,method=server/discover +40",
        "incompatible_session",
    ),
    (
        "a failed probe, then an accepted negotiation",
        f"declare expect open offer refused:error,method=server/discover offer negotiated confirmed list page installed {DONE}",
        "healthy",
    ),
    ("a session id that is no longer known", f"{SETUP} {DONE} refused:lost,method=tools/call", "incompatible_session"),
    (
        "the client left after another version was answered",
        "declare expect open offer negotiated:version=2024-11-05 end",
        "incompatible_session",
    ),
    (
        "the client went on with the older version",
        f"declare expect open offer negotiated:version=2024-11-05 confirmed list page installed {DONE}",
        "healthy",
    ),
    ("headers refused, then the same method accepted", f"{SETUP} refused:header,method=tools/call {DONE}", "healthy"),
    ("initialized was forgotten, and requests are accepted", f"declare expect open offer negotiated list page installed {DONE}", "healthy"),
    # --- stale_catalog
    ("an unread signal", f"{SETUP} {DONE} signal", "stale_catalog"),
    ("a first page only", f"declare expect session list page:next=c installed {DONE} +60", "stale_catalog"),
    ("a contract that differs from the approved one", f"approve {SETUP} signal change:publish list page installed {DONE}", "stale_catalog"),
    (
        "a contract that differs only cosmetically from the approved one",
        f"approve {SETUP} signal cosmetic:publish list page installed {DONE}",
        "healthy",
    ),
    ("after a full refresh it moves on", f"{SETUP} signal change:publish list page installed {DONE}", "healthy"),
    ("a call by the contract from before the change", f"{SETUP} signal change:publish call answer list page installed", "stale_catalog"),
    ("the same, settled by effect and outcome", f"{SETUP} signal change:publish call answer list page installed applied passed", "healthy"),
    ("the same, settled by the effect alone", f"{SETUP} signal change:publish call answer list page installed applied", "stale_catalog"),
    (
        "a call before a cosmetic change was read",
        f"{SETUP} signal cosmetic:publish call answer list page installed applied passed",
        "healthy",
    ),
    ("the same without proof: unproven, not stale", f"{SETUP} signal cosmetic:publish call answer list page installed", "unproven"),
    ("another server that the run does not call is stale", f"{SETUP} @notes session list page installed signal @tickets {DONE}", "healthy"),
    ("one of two clients of a server is stale", f"{SETUP} {DONE} #2 {READY} signal", "stale_catalog"),
    ("a tool was called that nobody approved", f"approve add:search {SETUP} call:search answer applied passed", "stale_catalog"),
    ("an approved tool is gone", f"approve remove:publish {SETUP} {DONE}", "stale_catalog"),
    ("a traversal under way when the run closed", f"{SETUP} {DONE} signal list close", "stale_catalog"),
    # --- effect_unknown
    ("the absolute deadline", f"{SETUP} call +601", "effect_unknown"),
    ("the inactivity window", f"{SETUP} call:token=t +61", "effect_unknown"),
    ("no token: its silence is no stall", f"{SETUP} call +500", "working"),
    ("a cancelled call", f"{SETUP} call cancel", "effect_unknown"),
    ("cancelled after its response", f"{SETUP} call answer cancel applied passed", "healthy"),
    ("a server that died", f"{SETUP} call died", "effect_unknown"),
    ("input that nobody gave until the absolute deadline", f"{SETUP} call ask +601", "effect_unknown"),
    ("a task whose handle is gone", f"{SETUP} call task task_gone", "effect_unknown"),
    ("a cancelled task", f"{SETUP} call task task_is:cancelled", "effect_unknown"),
    ("a run closed over an open call", f"{SETUP} call close", "effect_unknown"),
    ("a destination that contradicts itself", f"{SETUP} call answer applied absent passed", "effect_unknown"),
    ("a late answer is welcome", f"{SETUP} call cancel answer applied passed", "healthy"),
    # --- protocol_error
    ("a JSON-RPC error", f"{SETUP} call error", "protocol_error"),
    ("an invalid result", f"{SETUP} call invalid", "protocol_error"),
    ("a response to nobody", f"{SETUP} {DONE} unpaired", "protocol_error"),
    ("another response for an answered id", f"{SETUP} {DONE} unpaired:duplicate", "protocol_error"),
    ("an id of another type", f"{SETUP} {DONE} unpaired:id_type", "protocol_error"),
    ("bytes that may hold a message", f"{SETUP} {DONE} malformed", "protocol_error"),
    ("an equal response again, and junk between messages", f"{SETUP} {DONE} unpaired:repeated junk", "healthy"),
    ("an error of another request", f"{SETUP} pinged:-32601 {DONE}", "healthy"),
    # --- tool_failed
    ("isError", f"{SETUP} call tool_error absent", "tool_failed"),
    ("a failed task", f"{SETUP} call task task_is:failed", "tool_failed"),
    ("loss of a read", f"{READING} call:read died", "tool_failed"),
    ("the deadline of a read", f"{READING} call:read +601", "tool_failed"),
    ("cancellation of a read", f"{READING} call:read cancel", "tool_failed"),
    # --- false_success
    ("a destination that shows two effects for one call", f"{SETUP} call answer applied:count=2 passed", "false_success"),
    ("the effect is absent", f"{SETUP} call answer absent passed", "false_success"),
    ("the deliverable is broken", f"{SETUP} call answer applied broken", "false_success"),
    ("a verifier that nobody declared says broken", f"{UNPROMISED} call answer applied broken", "false_success"),
    # --- working
    ("a call inside both clocks", f"{SETUP} call:token=t +50 progress:1 +50", "working"),
    ("a call that waits for a person, beyond the inactivity window", f"{SETUP} call:token=t ask +300", "working"),
    ("the next round of the call", f"{SETUP} call:token=t ask +300 retry:u +50", "working"),
    ("a person is asked in a request of its own", f"{SETUP} call:token=t person_asked +300", "working"),
    ("the window runs again when the person has answered", f"{SETUP} call:token=t person_asked person_answered +61", "effect_unknown"),
    ("nobody answers until the absolute deadline", f"{SETUP} call:token=t person_asked +601", "effect_unknown"),
    ("a task at work", f"{SETUP} call task task_is:working +100", "working"),
    ("a repeated number is no heartbeat", f"{SETUP} call:token=t progress:5 +40 progress:5 +40", "effect_unknown"),
    ("a smaller number is no heartbeat", f"{SETUP} call:token=t progress:5 +40 progress:4 +40", "effect_unknown"),
    ("another token is no heartbeat", f"{SETUP} call:token=t progress:5 +40 progress:6,u +40", "effect_unknown"),
    (
        "heartbeats do not move the absolute deadline",
        "declare:publish,write,absolute=100 "
        + SETUP.removeprefix("declare ")
        + " call:token=t progress:1 +50 progress:2 +45 progress:3 +10",
        "effect_unknown",
    ),
    # --- unproven
    ("no verifier was declared", f"{UNPROMISED} call answer applied", "unproven"),
    ("nobody asked the destination", f"{SETUP} call answer passed", "unproven"),
    ("only the agent says applied", f"{SETUP} call answer applied:self passed", "unproven"),
    ("only the agent says passed", f"{SETUP} {DONE}:self", "unproven"),
    ("the verifier crashed", f"{SETUP} call answer applied crashed", "unproven"),
    ("a late verifier", f"declare {READY} call expect answer applied passed", "unproven"),
    ("only a judgement", f"{SETUP} {DONE}:judged", "unproven"),
    ("a judgement that is accepted", f"declare expect:judged {READY} {DONE}:judged", "healthy"),
    ("an outcome of two is unanswered", f"expect:name=page {SETUP} {DONE}", "unproven"),
    ("nobody reported the install", f"declare expect session list page {DONE}", "unproven"),
    ("no call was made", SETUP, "unproven"),
    ("a receipt by an id that two calls have", f"{SETUP} call:id=7 answer #2 {READY} call:id=7 answer applied passed", "unproven"),
    ("accepted as unknown", f"{SETUP} call died accept passed", "unproven"),
    ("observations were lost", f"gap {SETUP} {DONE}", "unproven"),
    ("a read that was declared after the call", f"expect {READY} call:read declare:read,read answer passed", "unproven"),
    ("an absence from before the call ended", f"{SETUP} call absent answer passed", "unproven"),
    ("a verifier that was changed after the call", f"{SETUP} call answer applied expect:judged passed:judged", "unproven"),
    # --- healthy
    ("everything proved", f"{SETUP} {DONE}", "healthy"),
    (
        "a verifier declared before the first call that may have effects",
        f"declare:read,read declare {READY} call:read answer expect {DONE}",
        "healthy",
    ),
    ("only reads", f"{READING} call:read answer passed", "healthy"),
    ("a self-reported failure beside independent proof", f"{SETUP} {DONE} broken:self", "healthy"),
    ("applied after an absence", f"{SETUP} call answer absent applied passed", "healthy"),
    ("applied after it was accepted as unknown", f"{SETUP} call died accept applied passed", "healthy"),
    ("a signal after the run was closed", f"{SETUP} {DONE} close signal", "healthy"),
    ("a failure after the run was closed", f"{SETUP} {DONE} close call error", "healthy"),
    ("a receipt that comes after the run was closed", f"{SETUP} call answer close applied passed", "healthy"),
]


@pytest.mark.parametrize("line, state", [row[1:] for row in STATES], ids=[row[0] for row in STATES])
def test_the_state_of_a_run_with(line: str, state: str) -> None:
    verdict = verdict_of(line, closed="working" not in state)
    assert verdict.state == state, [(c.type, c.reason) for c in verdict.deciding]


SETTLED: list[tuple[str, str, str, int]] = [
    (
        "a failure and a success of the same tool under one key",
        f"{KEYED} call:key=k tool_error call:key=k answer applied:key=k,count=1 passed",
        "healthy",
        1,
    ),
    (
        "under another key it is not settled",
        f"{KEYED} call:key=k tool_error call:key=j answer applied:key=j,count=1 passed",
        "tool_failed",
        0,
    ),
    ("without a key it is not settled", f"{SETUP} call tool_error {DONE}", "tool_failed", 0),
    ("a failed read, and the agent moved on", f"{READING} call:read tool_error {DONE}", "healthy", 1),
    ("a failed read that nothing followed", f"{READING} {DONE} call:read tool_error", "tool_failed", 0),
    (
        "a lost call, repeated, and one effect at the destination",
        f"{KEYED} call:key=k cancel call:key=k answer applied:key=k,count=1 passed",
        "healthy",
        1,
    ),
    ("a lost call, repeated, and nobody asked", f"{KEYED} call:key=k cancel call:key=k answer passed", "effect_unknown", 0),
    (
        "a lost call, repeated, and two effects",
        f"{KEYED} call:key=k cancel call:key=k answer applied:key=k,count=2 passed",
        "false_success",
        0,
    ),
    ("two receipts of calls under one key", f"{KEYED} call:key=k answer applied call:key=k answer applied passed", "false_success", 0),
    (
        "a failed and a successful call, each with a receipt under one key",
        f"{KEYED} call:key=k tool_error applied call:key=k answer applied passed",
        "false_success",
        0,
    ),
    (
        "a lost call, repeated, and a receipt of the second alone",
        f"{KEYED} call:key=k cancel call:key=k answer applied passed",
        "effect_unknown",
        0,
    ),
    ("a call without a receipt beside one that has its own", f"{KEYED} call:key=k answer call:key=k answer applied passed", "unproven", 0),
    ("two calls under two keys", f"{KEYED} call:key=k answer applied call:key=j answer applied passed", "healthy", 0),
]


@pytest.mark.parametrize("line, state, recovered", [row[1:] for row in SETTLED], ids=[row[0] for row in SETTLED])
def test_a_later_call_settles(line: str, state: str, recovered: int) -> None:
    verdict = verdict_of(line)
    assert (verdict.state, verdict.counts.recovered) == (state, recovered), [(c.type, c.reason, c.facts) for c in verdict.deciding]


@pytest.mark.parametrize(
    "change, steps",
    [
        ("a deadline call is reconciled", [(f"{SETUP} call +601", "effect_unknown"), ("applied broken", "false_success")]),
        (
            "a deadline call is reconciled and verified",
            [(f"{SETUP} call +601", "effect_unknown"), ("applied", "unproven"), ("passed", "healthy")],
        ),
        ("a stale catalog is refreshed", [(f"{SETUP} {DONE} signal", "stale_catalog"), ("list page installed", "healthy")]),
        ("a challenge is answered", [(f"{SETUP} call challenged:401 error:0,status=401", "needs_auth"), (f"{DONE}", "healthy")]),
        (
            "a call goes through its life",
            [
                (f"{SETUP} call", "working"),
                ("answer", "unproven"),
                ("applied", "unproven"),
                ("passed", "healthy"),
                ("signal", "stale_catalog"),
            ],
        ),
        (
            "a failed probe falls back",
            [
                ("declare expect open offer refused:error,method=server/discover", "unproven"),
                (f"offer negotiated confirmed list page installed {DONE}", "healthy"),
            ],
        ),
        ("a lost answer comes after all", [(f"{SETUP} call cancel", "effect_unknown"), ("answer applied passed", "healthy")]),
        ("a verifier changes its mind", [(f"{SETUP} {DONE}", "healthy"), ("broken", "false_success"), ("passed", "healthy")]),
        ("a person gives up", [(f"{SETUP} call died passed", "effect_unknown"), ("accept", "unproven")]),
    ],
)
def test_one_more_piece_of_evidence_moves_the_state(change: str, steps: list[tuple[str, str]]) -> None:
    line = ""
    for words, state in steps:
        line = f"{line} {words}"
        assert verdict_of(line, closed=False).state == state, (change, words)


def test_a_late_verifier_is_named_late() -> None:
    assert "VerifierLate" in reasons_of(verdict_of(f"declare {READY} call expect answer applied passed"))


def test_policy_can_declare_a_tool_read_only() -> None:
    line = f"expect {READY} call:read answer passed"
    assert verdict_of(line).state == "unproven"
    assert verdict_of(line, Policy(read_only_tools=("tickets/read",))).state == "healthy"


def test_a_read_by_policy_makes_no_verifier_late() -> None:
    line = f"declare {READY} call:read answer expect {DONE}"
    assert verdict_of(line, Policy(read_only_tools=("read",))).state == "healthy"


@pytest.mark.parametrize("policy, state", [(Policy(), "unproven"), (Policy(trusted_servers=("tickets",)), "healthy")])
def test_a_hint_of_the_server_counts_only_where_the_server_is_trusted(policy: Policy, state: str) -> None:
    assert verdict_of("expect session list page:hint=read installed call:read answer passed", policy).state == state


def test_a_judgement_may_be_accepted_by_policy() -> None:
    verdict = verdict_of(f"{SETUP} {DONE}:judged", Policy(accept_judged=("report",)))
    assert (verdict.state, "outcome_judged" in verdict.notes) == ("healthy", True)


def test_every_invalid_heartbeat_is_counted() -> None:
    verdict = verdict_of(f"{SETUP} call:token=t progress:5 progress:5 progress:4 progress:9,other progress:inf answer progress:6,t")
    assert verdict.counts.invalid_progress == 5


def test_a_closed_run_is_judged_as_of_its_close() -> None:
    told = history(f"{SETUP} call:token=t close +10000")
    verdict = judge(told.events, as_of_us=told.end_us)
    assert (verdict.run_closed, verdict.as_of_us) == (True, told.events[-1].time_us - 0) or verdict.as_of_us < told.end_us - 9_000_000_000


# --- green is constructed --------------------------------------------------------------------------------------------

ALL_LINES = [*GOOD, *BUSY, *UNPROVED, *(line for _, line in BAD), *(row[1] for row in STATES), *(row[1] for row in TRUTH_TABLE)]


@pytest.mark.parametrize("closed", [True, False])
def test_no_claim_is_true_without_evidence_and_every_reason_is_documented(closed: bool) -> None:
    for line in ALL_LINES:
        verdict = verdict_of(line, closed=closed)
        for condition in verdict.conditions:
            assert condition.evidence or condition.status != "true", (line, condition)
            assert condition.reason in REASONS, (line, condition)
        assert verdict.state == "unproven" or verdict.deciding or verdict.state == "healthy"


@pytest.mark.parametrize("line", ALL_LINES)
def test_healthy_means_that_every_layer_is_true(line: str) -> None:
    verdict = verdict_of(line)
    whole = all(verdict.layer_status(layer) == "true" for layer in LAYERS)
    assert (verdict.state == "healthy") == whole


@pytest.mark.parametrize("layer", LAYERS)
def test_each_layer_can_keep_a_run_from_green(layer: str) -> None:
    missing = {"session": "session", "catalog": "list", "request": "call", "effect": "applied", "outcome": "passed"}[layer]
    words = [word for word in HEALTHY.split() if word != missing]
    assert verdict_of(" ".join(words)).state not in ("healthy", "working")


def test_the_worst_state_decides() -> None:
    line = f"{SETUP} call answer absent passed call died signal"
    assert verdict_of(line).state == "stale_catalog"
    assert list(ROUTES).index("stale_catalog") < list(ROUTES).index("effect_unknown") < list(ROUTES).index("false_success")
