"""A declaration becomes facts: the digest of all of it first, then each tool and each promised outcome."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from observe_scene import redactor
from witnessmark.model.declaration import (
    DestinationDeclaration,
    OutcomeDeclaration,
    Requires,
    RunDeclaration,
    TaskDeclaration,
    ToolDeclaration,
)
from witnessmark.model.evidence import EffectDeclared, OutcomeDeclared, RunOpened, encode_fact
from witnessmark.model.policy import Policy
from witnessmark.model.users_word import NEED_WORD, without_the_users_word
from witnessmark.observe.declarations import declare, digest, versions_of

CANARY = "canary-41c"
TOOL = ToolDeclaration(
    server="files",
    tool="write",
    effect="destructive",
    operation_key="/key",
    key_lifetime_s=60.0,
    inactivity_s=5.0,
    absolute_s=50.0,
    destination=DestinationDeclaration(kind="file", settings={"path": CANARY}),
)
OUTCOME = OutcomeDeclaration(name="report", kind="file", settings={"path": CANARY}, proves_effect=True)
TASK = TaskDeclaration(name="t", outcomes=(OUTCOME,), requires=Requires(oldest="2025-06-18", capabilities=("tools.listChanged",)))
RUN = RunDeclaration(tools=(TOOL,), task=TASK)


def test_each_part_is_a_fact_and_the_first_covers_all_of_them() -> None:
    opened, tool, outcome = declare(RUN, redactor())
    assert opened == RunOpened(
        task="t",
        declaration=digest(RUN),
        requires_versions=("2025-06-18", "2025-11-25", "2026-07-28"),
        requires_capabilities=("tools.listChanged",),
    )
    assert isinstance(tool, EffectDeclared)
    assert (tool.server, tool.tool, tool.effect, tool.has_key, tool.pointer) == ("files", "write", "destructive", True, "/key")
    assert (tool.key_lifetime_s, tool.inactivity_s, tool.absolute_s, tool.destination) == (60.0, 5.0, 50.0, "file")
    assert isinstance(outcome, OutcomeDeclared)
    assert (outcome.outcome, outcome.verifier, outcome.proves_effect, outcome.accept_judged) == ("report", "file", True, False)


def test_settings_are_covered_by_digests_and_never_kept() -> None:
    assert CANARY not in b"".join(encode_fact(fact) for fact in declare(RUN, redactor())).decode()


@pytest.mark.parametrize(
    "other",
    [
        replace(RUN, tools=()),
        replace(RUN, task=None),
        replace(RUN, policy=Policy(absolute_s=3.0)),
        replace(RUN, tools=(replace(TOOL, verify="always"),)),
        replace(RUN, tools=(replace(TOOL, destination=DestinationDeclaration(kind="file", settings={"path": "x"})),)),
        replace(RUN, task=replace(TASK, outcomes=(replace(OUTCOME, settings={"path": "x"}),))),
    ],
)
def test_whatever_is_declared_otherwise_has_another_digest(other: RunDeclaration) -> None:
    assert digest(other) != digest(RUN)
    assert digest(replace(other, tools=RUN.tools, task=TASK, policy=RUN.policy)) == digest(RUN)


@pytest.mark.parametrize(
    "oldest,newest,versions",
    [
        ("", "", ()),
        ("2025-11-25", "", ("2025-11-25", "2026-07-28")),
        ("", "2025-03-26", ("2024-11-05", "2025-03-26")),
        ("2025-06-18", "2025-06-18", ("2025-06-18",)),
        ("2099-01-01", "", ()),
    ],
)
def test_a_range_means_the_known_versions_in_it(oldest: str, newest: str, versions: tuple[str, ...]) -> None:
    assert versions_of(Requires(oldest=oldest, newest=newest)) == versions


def test_a_range_without_a_known_version_is_still_required() -> None:
    task = replace(TASK, requires=Requires(oldest="2099-01-01"))
    (opened, *_) = declare(replace(RUN, task=task), redactor())
    assert isinstance(opened, RunOpened)
    assert opened.requires_versions == ("2099-01-01",)


LOOSE = ToolDeclaration(
    server="s",
    tool="t",
    effect="read",
    operation_key="/k",
    key_lifetime_s=1.0,
    inactivity_s=61.0,
    absolute_s=601.0,
    verify="ttl",
    destination=DestinationDeclaration(kind="file"),
)


def test_of_a_found_declaration_nothing_that_loosens_is_left() -> None:
    nothing = ToolDeclaration(server="s", tool="t")
    assert without_the_users_word(LOOSE) == (nothing, tuple(name for name in NEED_WORD if name != "trust_hints"))
    assert without_the_users_word(ToolDeclaration(server="s", tool="t", trust_hints=True)) == (nothing, ("trust_hints",))


def test_of_a_found_declaration_what_is_stricter_is_kept() -> None:
    strict = ToolDeclaration(server="s", tool="t", effect="destructive", inactivity_s=60.0, absolute_s=1.0, verify="always")
    assert without_the_users_word(strict) == (strict, ())


def test_a_pointer_that_is_none_is_refused_where_it_is_declared() -> None:
    with pytest.raises(ValueError, match="JSON Pointer"):
        declare(replace(RUN, tools=(replace(TOOL, operation_key="key"),)), redactor())
