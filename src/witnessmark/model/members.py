"""Tables of members: what may stand in a table of `witnessmark.toml`, and reading one by its table.

What is wrong is collected, so that all of it is said at once. Pure: no I/O, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from witnessmark.errors import UsageError
from witnessmark.model.policy import duration_s

MemberType = Literal["text", "texts", "whole", "number", "flag", "duration", "pointer", "digest", "table", "list", "any"]

EXPECTED: Final[dict[MemberType, tuple[str, str]]] = {
    "text": ("a text", "write it in quotes"),
    "texts": ("a list of texts", 'write ["one", "two"]'),
    "whole": ("a whole number", "write digits, without quotes"),
    "number": ("a number", "write digits, without quotes"),
    "flag": ("true or false", "write true or false, without quotes"),
    "duration": ("a duration above zero", 'write a number of seconds, or text as "500ms", "30s", "10m", "2h", "1d"'),
    "pointer": ("a JSON Pointer", 'write "" or begin with a slash, as "/order/id"; ~ is ~0 and / is ~1 in a name'),
    "digest": ("a SHA-256 in hex", "write its 64 hex digits"),
    "table": ("a table", "write { member = value }"),
    "list": ("a list of tables", "write [{ member = value }]"),
    "any": ("any value", ""),
}
"""For each type of a member: what it is in words, and how it is written."""

_POINTER: Final = re.compile(r"(?:/(?:[^~/]|~[01])*)*")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class Member(NamedTuple):
    """One member: its type, what it means, whether it must be there, the words it may be, and its default in words."""

    type: MemberType
    text: str
    required: bool = False
    choices: tuple[str, ...] = ()
    default: str = ""


Table = Mapping[str, Member]
Keys = tuple[str | int, ...]


class Problem(NamedTuple):
    """Something wrong: where (the keys that lead there), what, and what to do about it. No value of the file is repeated."""

    keys: Keys
    message: str
    hint: str

    @property
    def pointer(self) -> str:
        """The place as a JSON Pointer (RFC 6901)."""
        return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in self.keys)


def read_members(raw: object, table: Table, keys: Keys, what: str, problems: list[Problem]) -> dict[str, Any]:
    """The members of `raw` that are as their table says, durations in seconds; everything else becomes a problem.

    `what` is what the table describes, for messages: "a tool".
    """
    if not isinstance(raw, dict):
        problems.append(Problem(keys, "must be a table", EXPECTED["table"][1]))
        return {}
    found: dict[str, Any] = {}
    for name, value in raw.items():
        member = table.get(name)
        if member is None:
            problems.append(Problem((*keys, name), f"is no member of {what}", f"known: {', '.join(sorted(table)) or 'none'}"))
        elif (problem := _wrong(value, member)) is not None:
            problems.append(Problem((*keys, name), *problem))
        else:
            found[name] = duration_s(value, "") if member.type == "duration" else value
    problems += [
        Problem(keys, f"has no {name}", f"{name} is {EXPECTED[member.type][0]}: {member.text}")
        for name, member in table.items()
        if member.required and name not in raw
    ]
    return found


def _wrong(value: object, member: Member) -> tuple[str, str] | None:
    """What is wrong with a value, and what to write; None if it is as its member says."""
    if not _is(value, member.type):
        expected, hint = EXPECTED[member.type]
        return f"must be {expected}", hint
    words = value if isinstance(value, list) else [value]
    if member.choices and any(word not in member.choices for word in words):
        return "is none of its words", f"one of: {', '.join(member.choices)}"
    return None


def _is(value: object, type_: MemberType) -> bool:
    match type_:
        case "text":
            return isinstance(value, str) and bool(value)
        case "texts":
            return isinstance(value, list) and all(isinstance(one, str) and one for one in value)
        case "whole":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "flag":
            return isinstance(value, bool)
        case "duration":
            return _is_duration(value)
        case "pointer":
            return isinstance(value, str) and _POINTER.fullmatch(value) is not None
        case "digest":
            return isinstance(value, str) and _DIGEST.fullmatch(value) is not None
        case "table":
            return isinstance(value, dict)
        case "list":
            return isinstance(value, list)
        case "any":
            return True


def _is_duration(value: object) -> bool:
    try:
        return duration_s(value, "") > 0
    except UsageError:
        return False
