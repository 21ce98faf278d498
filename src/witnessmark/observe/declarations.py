"""Declarations as evidence, and declarations that reach an observer at work. Pure: no I/O, no clock."""

from __future__ import annotations

from witnessmark.contract.digest import digest_of
from witnessmark.model.declaration import OutcomeDeclaration, Requires, RunDeclaration, ToolDeclaration, as_json
from witnessmark.model.evidence import EffectDeclared, Fact, OutcomeDeclared, RunOpened
from witnessmark.observe.calling import parse_pointer
from witnessmark.observe.observer import Observer
from witnessmark.observe.redact import Redactor
from witnessmark.wire.revisions import REVISIONS


def take_up(observer: Observer, fact: EffectDeclared) -> None:
    """Tells an observer at work a tool's effect class and where its operation key stands, by a declaration that was recorded meanwhile."""
    if fact.server not in ("", observer.server):
        return
    tool = fact.tool.removeprefix(f"{observer.server}/")
    observer.declare_effect(tool, fact.effect)
    if not fact.has_key:
        observer.declare_no_key(tool)
        return
    try:
        observer.declare_key(tool, fact.pointer)
    except ValueError:
        # It was checked when it was declared; a pointer that an older version wrote differently gives no key.
        observer.declare_no_key(tool)


def digest(declaration: RunDeclaration) -> str:
    """The digest of a declaration: SHA-256 of its canonical JSON, as `sha256:` and hex."""
    return digest_of(declaration.document())


def versions_of(requires: Requires) -> tuple[str, ...]:
    """The known protocol versions in the range, oldest first; none where the range is open at both ends."""
    if not (requires.oldest or requires.newest):
        return ()
    return tuple(one for one in REVISIONS if one >= requires.oldest and (not requires.newest or one <= requires.newest))


def declare(declaration: RunDeclaration, redact: Redactor) -> list[Fact]:
    """The facts of a declaration, to be recorded before the run's first call.

    The first holds the digest of all of it and what the run needs of its sessions; then one for each tool and each promised
    outcome, with the digest of its own part. A range without a known version is kept as its own ends, so that no session
    that was negotiated is inside it.
    """
    task = declaration.task
    requires = task.requires if task is not None else Requires()
    ends = tuple(dict.fromkeys(end for end in (requires.oldest, requires.newest) if end))
    opened = RunOpened(
        task=redact.name(task.name) if task is not None else "",
        requires_versions=versions_of(requires) or ends,
        requires_capabilities=requires.capabilities,
        declaration=digest(declaration),
    )
    outcomes = task.outcomes if task is not None else ()
    return [opened, *(_tool(tool, redact) for tool in declaration.tools), *(_outcome(outcome, redact) for outcome in outcomes)]


def _tool(tool: ToolDeclaration, redact: Redactor) -> EffectDeclared:
    if tool.operation_key is not None:
        parse_pointer(tool.operation_key)
    return EffectDeclared(
        server=redact.name(tool.server),
        tool=redact.name(tool.tool),
        effect=tool.effect,
        has_key=tool.operation_key is not None,
        pointer=tool.operation_key or "",
        key_lifetime_s=tool.key_lifetime_s,
        inactivity_s=tool.inactivity_s,
        absolute_s=tool.absolute_s,
        trusted_hints=tool.trust_hints,
        destination=redact.word(tool.destination.kind) if tool.destination is not None else "",
        digest=digest_of(as_json(tool)),
    )


def _outcome(outcome: OutcomeDeclaration, redact: Redactor) -> OutcomeDeclared:
    return OutcomeDeclared(
        outcome=redact.name(outcome.name),
        verifier=redact.word(outcome.kind),
        digest=digest_of(as_json(outcome)),
        accept_judged=outcome.accept_judged,
        proves_effect=outcome.proves_effect,
    )
