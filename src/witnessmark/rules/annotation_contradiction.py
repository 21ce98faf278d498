"""The hints contradict each other or the name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from witnessmark.contract.pairing import Pair
from witnessmark.contract.successors import words_of
from witnessmark.model.change import ABSENT
from witnessmark.rules._annotations import hints_of
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule

_DESTROYING: Final = frozenset(
    ("delete", "remove", "drop", "destroy", "purge", "wipe", "erase", "truncate", "overwrite", "uninstall", "kill", "terminate")
)


def find(pair: Pair) -> Iterator[Found]:
    """A contradiction that was not there before."""
    said = _contradiction(pair.new)
    if said and said != _contradiction(pair.old):
        yield Found(pointer="/annotations", why=said, before=pair.old.get("annotations", ABSENT), after=pair.new["annotations"])


def _contradiction(tool: dict[str, Any]) -> str:
    """What contradicts what, or ""."""
    held = hints_of(tool)
    if held.get("readOnlyHint") is not True:
        return ""
    if held.get("destructiveHint") is True:
        return "readOnlyHint and destructiveHint are both true"
    verb = next(iter(words_of(str(tool.get("name", "")))), "")
    return f"readOnlyHint is true, and the name says {quoted(verb)}" if verb in _DESTROYING else ""


RULE = Rule(
    kind="annotation-contradiction",
    name="The hints contradict each other or the name",
    old_caller="none",
    model_told="escalated",
    confidence="medium",
    step="report",
    action="do not rely on its hints; report it to the server's owner",
    find=find,
    mirror=("annotation-contradiction", "annotation-explicit-default", "annotation-relaxed", "annotation-escalated", "annotations-removed"),
    doc=Doc(
        means="The tool says now that it is read-only and destructive at once, or that it is read-only while its name begins "
        "with a verb that destroys.",
        matters="One of both is wrong, and a client that believes the milder one asks nobody before something is deleted.",
        do="Treat the tool as destructive and report it.",
        cannot_see="Names in other languages, and destroying tools with a harmless name.",
        source="Specification, schema of ToolAnnotations: readOnlyHint false, destructiveHint true, idempotentHint false, "
        "openWorldHint true where absent; destructive and idempotent mean something only while readOnly is false; hints "
        "of an untrusted server are not to be relied on.",
    ),
)
