"""What the client gets in place of a call's answer: a JSON-RPC error or an `isError` result that says what changed and what to do.

Nothing of the call's arguments is in it but names that a contract declared. Pure: no I/O, no clock.
"""

from __future__ import annotations

import json
import shlex
from typing import Any, Final, NamedTuple

from witnessmark.model.change import Change

CODE: Final = 71_001
"""The error code of every refusal of ours: outside of JSON-RPC's reserved range (-32768 to -32000) and of what MCP defines."""
FORMAT: Final = "refusal/1"
MAX_CHANGES: Final = 8
"""Changes that are told; a reader acts on the first."""
_WHY_CHARS: Final = 400

SENTENCES: Final[dict[str, str]] = {
    "drifted": "its contract is not the approved one",
    "unpinned": "nobody has approved it",
    "approval_ended": "its approval has ended",
    "ambiguous": "its definition has more than one reading",
    "unknown_tool": "the server does not list it",
    "stale_client": "its contract changed since this client was last given it",
    "undeclared_argument": "an argument is not declared: the server would swallow it",
    "invalid_arguments": "the arguments break its current schema",
    "unchecked_arguments": "the arguments could not be checked against its schema",
    "cannot_list": "its current contract could not be seen",
    "unreadable": "the request has more than one reading",
    "not_initialized": "the session is not initialized",
}
"""Why a call is refused, after the tool's name."""

STEPS: Final[dict[str, str]] = {
    "drifted": "review the difference and approve it, or revert the server",
    "unpinned": "review the tool and approve it",
    "approval_ended": "review the tool and approve it again",
    "ambiguous": "report it to the server's owner",
    "unknown_tool": "read the tools again",
    "stale_client": "read the tools again before you call it",
    "undeclared_argument": "read the tools again and use the names that are declared now",
    "invalid_arguments": "read the tools again and mend the arguments",
    "unchecked_arguments": "send smaller arguments, or report the schema to the server's owner",
    "cannot_list": "look whether the server can still list its tools",
    "unreadable": "mend the client: names may stand once in a message",
    "not_initialized": "initialize first",
}


class Refused(NamedTuple):
    """Why a call does not leave, with what a person needs to decide about it. Digests are 64 hex or empty."""

    reason: str
    tool: str
    server: str
    detail: str = ""
    changes: tuple[Change, ...] = ()
    approved: str = ""
    current: str = ""
    served: str = ""
    swallowed: tuple[tuple[str, str], ...] = ()
    lockfile: str = ""


def approving_command(refused: Refused) -> str:
    """The command with which a person approves what the server says now."""
    words = ["witnessmark", "approve", "--server", refused.server]
    if refused.lockfile:
        words += ["--lockfile", refused.lockfile]
    return shlex.join([*words, refused.tool])


def data_of(refused: Refused) -> dict[str, Any]:
    """The members of the error's `data`."""
    data: dict[str, Any] = {
        "witnessmark": FORMAT,
        "reason": refused.reason,
        "server": refused.server,
        "tool": refused.tool,
        "next": STEPS[refused.reason],
        "sent": False,
    }
    for member in ("approved", "current", "served"):
        digest = getattr(refused, member)
        if digest:
            data[member] = f"sha256:{digest}"
    if refused.detail:
        data["detail"] = refused.detail
    if refused.changes:
        data["old_caller"] = _worst(refused.changes, "old_caller", ("silent", "loud", "none"))
        data["model_told"] = _worst(refused.changes, "model_told", ("escalated", "changed", "same"))
        data["changes"] = [_change(each) for each in refused.changes[:MAX_CHANGES]]
        data["more_changes"] = max(0, len(refused.changes) - MAX_CHANGES)
    if refused.swallowed:
        data["undeclared"] = [{"name": old, "likely": new} if new else {"name": old} for old, new in refused.swallowed]
    if refused.reason in ("drifted", "unpinned", "approval_ended"):
        data["approve"] = approving_command(refused)
    return data


def _worst(changes: tuple[Change, ...], grade: str, order: tuple[str, ...]) -> str:
    return min((str(getattr(each, grade)) for each in changes), key=order.index)


def _change(change: Change) -> dict[str, Any]:
    told = {
        "kind": change.kind,
        "pointer": change.pointer,
        "old_caller": change.old_caller,
        "model_told": change.model_told,
        "why": change.why[:_WHY_CHARS],
        "fingerprint": change.fingerprint,
    }
    if change.renamed_to:
        told["renamed_to"] = change.renamed_to
    return told


def sentence(refused: Refused) -> str:
    """The refusal in one line, for a host that shows the message alone."""
    text = f"witnessmark: `{refused.tool}` was not called: {SENTENCES[refused.reason]}"
    if refused.swallowed:
        old, new = refused.swallowed[0]
        text += f" (`{old}`{f', now probably `{new}`' if new else ''})"
    elif refused.changes:
        first = refused.changes[0]
        text += f" ({first.kind}: {first.why[:_WHY_CHARS]})"
    elif refused.detail:
        text += f" ({refused.detail})"
    return f"{text}. Nothing was sent to the server. Next: {STEPS[refused.reason]}"


def answer(raw_id: object, refused: Refused, form: str, *, modern: bool) -> dict[str, Any]:
    """The message that answers the call; `form` is `error` or `is_error`."""
    if form == "is_error":
        told = json.dumps(data_of(refused), ensure_ascii=False)
        content = [{"type": "text", "text": sentence(refused)}, {"type": "text", "text": told}]
        result: dict[str, Any] = {"content": content, "isError": True}
        if modern:
            result["resultType"] = "complete"  # 2026-07-28 schema: every result names its type
        return {"jsonrpc": "2.0", "id": raw_id, "result": result}
    return {"jsonrpc": "2.0", "id": raw_id, "error": {"code": CODE, "message": sentence(refused), "data": data_of(refused)}}
