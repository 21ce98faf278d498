"""What a declaration may do that the user did not say.

A configuration that was found in a repository is somebody else's wish (contracts.md): it may make a judgement stricter, and
loosens nothing. A file that the user named is the user's word. Pure: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from witnessmark.model.declaration import ToolDeclaration
from witnessmark.model.policy import Policy

NEED_WORD: Final = {
    "effect": "`read` says that a lost or failed call changed nothing",
    "trust_hints": "it lets a server say that of itself",
    "operation_key": "calls under one key settle each other",
    "key_lifetime": "it says how long a repetition is harmless",
    "inactivity": "a window longer than the default keeps a dead call `working`",
    "absolute": "a deadline longer than the default does too",
    "verify": "anything but `always` lets the gate rely on older evidence",
    "destination": "whoever names the witness decides what it says, and some kinds start programs",
}
"""Members of a tool that count only if the user named the file, and why."""


def without_the_users_word(tool: ToolDeclaration) -> tuple[ToolDeclaration, tuple[str, ...]]:
    """What of a found declaration is in force, and the members that are not, in the order of the table."""
    defaults = ToolDeclaration(server=tool.server, tool=tool.tool)
    policy = Policy()
    kept: dict[str, Any] = {}
    if tool.effect != "read":
        kept["effect"] = tool.effect
    if tool.inactivity_s is not None and tool.inactivity_s <= policy.inactivity_s:
        kept["inactivity_s"] = tool.inactivity_s
    if tool.absolute_s is not None and tool.absolute_s <= policy.absolute_s:
        kept["absolute_s"] = tool.absolute_s
    if tool.verify == "always":
        kept["verify"] = tool.verify
    held = msgspec.structs.replace(defaults, **kept)
    fields = {name: f"{name}_s" if hasattr(tool, f"{name}_s") else name for name in NEED_WORD}
    return held, tuple(name for name, field in fields.items() if getattr(held, field) != getattr(tool, field))
