"""The truth table of verdicts.md section 3, from a configuration through real messages and receipts to the state.

What the client and the server say goes through the observer, what is declared through the reader of `witnessmark.toml`, what
destinations and verifiers say through the door of receipts; nothing is put into the evidence by hand.
"""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from observe_scene import TOOL, Scene
from witnessmark.judges.judging import judge
from witnessmark.model.chain import Recorder
from witnessmark.model.declaring import read_declarations
from witnessmark.model.evidence import EffectDeclared, Event, Fact, RunClosed, decode_fact
from witnessmark.model.verdict import Verdict
from witnessmark.observe import receipts
from witnessmark.observe.declarations import declare, take_up

S = 1_000_000
START_US = 1_790_000_000 * S
CONFIGURATION = """
[tools."tickets/publish"]
effect = "write"
operation_key = "/key"
inactivity = "30s"
absolute = "10m"
destination = { kind = "file", path = "out/{slug}.txt" }

[tasks.report]
requires = ["protocol>=2025-06-18", "tools.listChanged"]
outcomes = [{ name = "report", verify = { kind = "file", path = "out/w48.txt" } }]

[tasks.bare]
"""
DONE = {"content": [{"type": "text", "text": "ok"}]}
ARGUMENTS = {"slug": "w48", "key": "k-1"}


class Story:
    """A run, told by what each side says, a second apart."""

    def __init__(self, configuration: str = CONFIGURATION, task: str | None = "report") -> None:
        self.scene = Scene()
        self.time_us = START_US
        self.recorders: dict[str, Recorder] = {}
        self.events: list[Event] = []
        self.declaration = self.read(configuration, task)
        self.declares()
        self.record("proxy", self.scene.observer.opened("0"))
        self.observed(self.scene.initialize)
        self.observed(self.scene.serve)
        shown = json.dumps({"source": "agent", "tools": [TOOL], "names": {"publish": "publish"}, "mapping": "exact", "continuous": True})
        self.record("host", [receipts.installed(shown.encode(), self.scene.observer, self.scene.redact, "0")])

    @staticmethod
    def read(configuration: str, task: str | None) -> Any:
        declarations, problems = read_declarations(tomllib.loads(configuration))
        assert not problems
        return declarations.for_run(task)

    def declares(self) -> None:
        facts = declare(self.declaration, self.scene.redact)
        self.record("operator", facts)
        for fact in facts:
            if isinstance(fact, EffectDeclared):
                take_up(self.scene.observer, fact)

    def observed(self, what: Any, *words: Any, **named: Any) -> None:
        known = len(self.scene.facts)
        what(*words, **named)
        self.record("proxy", self.scene.facts[known:])

    def record(self, source: str, facts: list[Fact]) -> None:
        recorder = self.recorders.setdefault(source, Recorder(source, source, "r"))
        for fact in facts:
            entry = recorder.record(fact, self.time_us)
            decoded = decode_fact(entry.kind, entry.data)
            self.events.append(Event(source, source, entry.sequence, "r", entry.time_us, decoded))
        self.time_us += S

    # --- words ------------------------------------------------------------------------------------------------------

    def call(self, id_: int = 7, **arguments: Any) -> None:
        self.observed(self.scene.call, id_, arguments or ARGUMENTS)

    def success(self, id_: int = 7) -> None:
        self.observed(self.scene.answer, id_, DONE)

    def tool_error(self, id_: int = 7) -> None:
        self.observed(self.scene.answer, id_, {**DONE, "isError": True})

    def rpc_error(self, id_: int = 7) -> None:
        self.observed(self.scene.fail, id_, -32603)

    def died(self) -> None:
        self.record("proxy", self.scene.observer.closed("0", "server", -9))

    def effect(self, status: str, **more: Any) -> None:
        word = json.dumps({"operation_key": "k-1", "status": status, "method": "query", **more}).encode()
        self.record("destination", [receipts.effect(word, self.scene.observer, self.scene.redact, None, independent=True)])

    def outcome(self, status: str) -> None:
        word = json.dumps({"outcome": "report", "status": status}).encode()
        self.record("verifier", [receipts.outcome(word, self.scene.observer, self.scene.redact, "0", independent=True)])

    def tell(self, words: str) -> Verdict:
        for word in words.split():
            name, _, argument = word.partition(":")
            getattr(self, name)(*([argument] if argument else []))
        return self.verdict()

    def verdict(self) -> Verdict:
        self.record("operator", [RunClosed()])
        for recorder in self.recorders.values():
            entry = recorder.close(self.time_us)
            fact = decode_fact(entry.kind, entry.data)
            self.events.append(Event(recorder.source, recorder.session, entry.sequence, "r", entry.time_us, fact))
        return judge(self.events, as_of_us=self.time_us)


def reasons(verdict: Verdict) -> set[str]:
    return {condition.reason for condition in verdict.deciding}


ROWS = [
    ("call died", "report", "effect_unknown", "ResponseLost"),
    ("call died outcome:passed", "report", "effect_unknown", "ResponseLost"),
    ("call success effect:applied outcome:failed", "report", "false_success", "OutcomeFailed"),
    ("call success effect:applied", "report", "unproven", "OutcomeMissing"),
    ("call success effect:absent", "report", "false_success", "EffectAbsent"),
    ("call success effect:absent outcome:passed", "report", "false_success", "EffectAbsent"),
    ("call success outcome:failed", "report", "false_success", "OutcomeFailed"),
    ("call success", "bare", "unproven", "EffectUnproved"),
    ("call success outcome:passed", "report", "unproven", "EffectUnproved"),
    ("call success effect:unknown outcome:passed", "report", "unproven", "EffectUnproved"),
    ("call tool_error effect:applied", "report", "effect_unknown", "AnswerDisagrees"),
    ("call rpc_error effect:applied", "report", "effect_unknown", "AnswerDisagrees"),
    ("call tool_error effect:absent", "report", "tool_failed", "ToolError"),
    ("call rpc_error effect:absent", "report", "protocol_error", "RpcError"),
    ("call died effect:absent", "report", "tool_failed", "NotApplied"),
    ("call died effect:applied", "bare", "unproven", "VerifierNotDeclared"),
    ("call died effect:applied outcome:failed", "report", "false_success", "OutcomeFailed"),
    ("call tool_error", "report", "tool_failed", "ToolError"),
    ("call rpc_error", "report", "protocol_error", "RpcError"),
    ("call success effect:applied outcome:error", "report", "unproven", "VerifierCrashed"),
]


@pytest.mark.parametrize("words,task,state,reason", ROWS, ids=[f"{words} ({task})" for words, task, _, _ in ROWS])
def test_each_row_of_the_truth_table(words: str, task: str, state: str, reason: str) -> None:
    verdict = Story(task=task).tell(words)
    assert (verdict.state, reason in reasons(verdict)) == (state, True), reasons(verdict)


@pytest.mark.parametrize(
    "words,note",
    [
        ("call success effect:applied outcome:passed", "silence_trusted"),
        ("call died effect:applied outcome:passed", "lost_and_reconciled"),
        ("call tool_error effect:applied outcome:passed", "answer_contradicted"),
    ],
)
def test_the_rows_that_are_healthy(words: str, note: str) -> None:
    verdict = Story().tell(words)
    assert (verdict.state, note in verdict.notes) == ("healthy", True), (reasons(verdict), verdict.notes)


def test_a_verifier_that_is_declared_to_prove_the_effect_does() -> None:
    proves = CONFIGURATION.replace('path = "out/w48.txt" } }', 'path = "out/w48.txt" }, proves_effect = true }')
    assert Story(proves).tell("call success outcome:passed").state == "healthy"
    assert Story().tell("call success outcome:passed").state == "unproven"


GREEN = "call success effect:applied outcome:passed"


def test_changing_one_piece_of_evidence_moves_the_state_as_predicted() -> None:
    states = [
        Story().tell(words).state
        for words in ("call died", "call died effect:applied outcome:failed", "call died effect:applied outcome:passed")
    ]
    assert states == ["effect_unknown", "false_success", "healthy"]


def test_what_is_declared_after_the_first_call_is_late() -> None:
    story = Story(task=None)
    story.call()
    story.success()
    story.declaration = story.read(CONFIGURATION, "report")
    story.declares()
    verdict = story.tell("effect:applied outcome:passed")
    assert (verdict.state, "VerifierLate" in reasons(verdict)) == ("unproven", True)


@pytest.mark.parametrize(
    "requires,reason",
    [
        ('"protocol>=2026-07-28"', "VersionUnsupported"),
        ('"protocol<=2025-06-18"', "VersionUnsupported"),
        ('"tools.listChanged", "resources"', "CapabilityMissing"),
    ],
)
def test_what_the_task_requires_and_was_not_negotiated_is_incompatible(requires: str, reason: str) -> None:
    asks = CONFIGURATION.replace('"protocol>=2025-06-18", "tools.listChanged"', requires)
    verdict = Story(asks).tell(GREEN)
    assert (verdict.state, reason in reasons(verdict)) == ("incompatible_session", True)


# --- bad input: named, and never green --------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [{"slug": "w48"}, {"slug": "w48", "key": None}, {"slug": "w48", "Key": "k-1"}])
def test_a_pointer_that_leads_to_nothing_in_this_call_is_named_and_never_green(arguments: dict[str, Any]) -> None:
    story = Story()
    story.call(**arguments)
    story.success()
    story.effect("applied", call=7)
    verdict = story.tell("outcome:passed")
    assert (verdict.state, "OperationKeyMissing" in reasons(verdict)) == ("unproven", True), reasons(verdict)


def test_two_calls_with_one_key_and_other_arguments_are_named_and_never_green() -> None:
    story = Story()
    story.call(7)
    story.success(7)
    story.call(8, slug="w49", key="k-1")
    story.success(8)
    verdict = story.tell("effect:applied outcome:passed")
    assert (verdict.state, "OperationKeyReused" in reasons(verdict)) == ("unproven", True), reasons(verdict)


def test_two_calls_with_one_key_and_the_same_arguments_are_one_intent() -> None:
    story = Story()
    story.call(7)
    story.tool_error(7)
    story.call(8)
    story.success(8)
    assert story.tell("effect:applied outcome:passed").state == "healthy"


def test_two_effects_under_one_key_are_a_duplicate() -> None:
    story = Story()
    story.call(7)
    story.success(7)
    story.call(8)
    story.success(8)
    story.effect("applied", count=2)
    verdict = story.tell("outcome:passed")
    assert (verdict.state, "DuplicateEffect" in reasons(verdict)) == ("false_success", True)


# --- hints ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "trusted,hint,state",
    [(True, True, "tool_failed"), (True, False, "effect_unknown"), (False, True, "effect_unknown")],
)
def test_a_hint_counts_where_the_operator_trusts_it(trusted: bool, hint: bool, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TOOL, "annotations", {"readOnlyHint": hint})
    hints = '[tools."tickets/publish"]\n' + ("trust_hints = true\n" if trusted else 'absolute = "1m"\n') + "[tasks.report]\n"
    assert Story(hints).tell("call died").state == state


def test_a_task_that_waits_for_a_person_shares_the_absolute_deadline_over_its_rounds() -> None:
    story = Story()
    story.observed(story.scene.call, 7, ARGUMENTS, modern=True)
    ask = {"resultType": "input_required", "requestState": "x", "inputRequests": {"a": {"method": "elicitation/create", "params": {}}}}
    story.observed(story.scene.answer, 7, ask)
    story.time_us += 500 * S
    story.observed(story.scene.call, 8, ARGUMENTS, modern=True, requestState="x", inputResponses={"a": {"action": "accept"}})
    inside = judge(story.events, as_of_us=story.time_us)
    story.time_us += 100 * S
    after = judge(story.events, as_of_us=story.time_us)
    assert len(inside.calls) == len(after.calls) == 1, "two rounds are one call"
    started = next(event.time_us for event in story.events if event.fact.KIND == "call.started")
    assert story.time_us - started > 600 * S
    assert after.state == "effect_unknown"
