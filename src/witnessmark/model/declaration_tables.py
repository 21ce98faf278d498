"""The tables of `witnessmark.toml` that declare: one row a member. Reader, documentation and JSON Schema are made from them.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Final

from witnessmark.model.kind_tables import BUILT_IN
from witnessmark.model.members import Member, Table

__all__ = ["BUILT_IN", "KIND", "OUTCOME", "PLACES", "TASK", "TOOL"]

TOOL: Final[Table] = {
    "effect": Member(
        "text", "what a call may do to the world; without it a tool may write", choices=("read", "write", "destructive"), default="write"
    ),
    "operation_key": Member("pointer", "where the operation key stands in the arguments of a call"),
    "key_lifetime": Member("duration", "how long the destination remembers an operation key", default="for ever"),
    "inactivity": Member("duration", "how long a call with a progress token may be silent", default="the policy's `inactivity`"),
    "absolute": Member("duration", "how long a call may take in all, all its rounds together", default="the policy's `absolute`"),
    "trust_hints": Member("flag", "believe the server's `readOnlyHint` for this tool; not beside `effect`", default="false"),
    "verify": Member(
        "text",
        "for the gate, how old the evidence of a contract may be: `always`, `ttl`, `signal`, `max_age` or `max_age=30s`",
    ),
    "destination": Member("any", "how to ask whether the effect is there: a name of `[destinations]`, or `{ kind = ..., ... }`"),
}
"""`[tools."SERVER/TOOL"]`."""

TASK: Final[Table] = {
    "outcomes": Member("list", "what the task promises: a list of the tables below"),
    "requires": Member(
        "texts",
        "what a session must have negotiated: `protocol>=2025-06-18`, also `<=` and `=`, or a capability as `tools.listChanged`",
    ),
}
"""`[tasks.NAME]`."""

OUTCOME: Final[Table] = {
    "name": Member("text", "its name in verdicts and receipts", required=True),
    "verify": Member("table", "its verifier: `{ kind = ..., ... }`", required=True),
    "accept_judged": Member("flag", "a model's judgement is enough for this outcome", default="false"),
    "proves_effect": Member("flag", "the verifier proves the effect of the calls too", default="false"),
    "visibility": Member(
        "text", "whether it is verified as its owner sees it or as anybody does", choices=("private", "public"), default="private"
    ),
}
"""One of `outcomes`."""

KIND: Final = Member("text", "which kind it is", required=True)

PLACES: Final[tuple[tuple[str, str, Table], ...]] = (
    ('[tools."SERVER/TOOL"]', "What is known of one tool of one server.", TOOL),
    ("[tasks.NAME]", "A piece of intended work, named where a run begins (`--task NAME`).", TASK),
    ("outcomes = [{ ... }]", "One promise of a task.", OUTCOME),
)
"""Where each table stands in the file, and what it is about."""
