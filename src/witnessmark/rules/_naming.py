"""Words that several rules share: how a parameter is named in a sentence and what becomes of an argument.

Pure: no I/O, no clock. Names come from the server: they are shown quoted, cut and escaped.
"""

from __future__ import annotations

import json
from typing import Any, Final

from witnessmark.contract.object_names import Names
from witnessmark.contract.schema_view import View
from witnessmark.contract.successors import words_of

# Characters of a name or value that a sentence repeats.
_SHOWN_CHARS: Final = 80


def quoted(text: object) -> str:
    """A name in backticks; what is not plain ASCII is escaped, what is long is cut."""
    shown = ascii(text)[1:-1] if isinstance(text, str) else shown_value(text)
    return f"`{shown[:_SHOWN_CHARS]}{'...' if len(shown) > _SHOWN_CHARS else ''}`"


def shown_value(value: Any) -> str:
    """A JSON value in a sentence, escaped and cut."""
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    shown = json.dumps(value)
    return shown[:_SHOWN_CHARS] + ("..." if len(shown) > _SHOWN_CHARS else "")


def named(names: Names, name: str) -> str:
    """The parameter in a sentence, with the object it lies in if that is not the top."""
    inside = names.spot.parameter
    return f"{quoted(name)} of {quoted(inside)}" if inside else quoted(name)


def swallowed(name: str) -> str:
    """What happens to an agent that still sends a name which is accepted and not declared."""
    return f"an agent that still sends {quoted(name)} is accepted and the value is swallowed"


def left_out(schema: dict[str, Any]) -> str:
    """What becomes of a new parameter that an old call does not send."""
    return f"keeps its default {shown_value(schema['default'])}" if "default" in schema else "is left out"


def told_types(side: View) -> str:
    """The types that a place allows, in a sentence."""
    if side.never:
        return "nothing"
    types = sorted(side.types) if side.types is not None else ["any type"]
    return " or ".join([*types, *(["null"] if side.nullable and "null" not in types else [])])


# Words of parameter names whose values choose what a tool does, and of values that say what is done.
_CHOOSES: Final = frozenset(("method", "action", "operation", "command", "op", "verb", "mode", "function"))
_ACTS: Final = frozenset(
    (
        *("add", "create", "delete", "destroy", "drop", "edit", "execute", "insert", "kill", "merge", "modify", "move", "overwrite"),
        *(
            "post",
            "publish",
            "purge",
            "put",
            "remove",
            "rename",
            "replace",
            "reset",
            "run",
            "send",
            "set",
            "transfer",
            "update",
            "upload",
            "write",
        ),
    )
)


def names_actions(parameter: str, values: list[Any]) -> bool:
    """Whether new values of a parameter name actions, by the parameter's name or by their own."""
    if not _CHOOSES.isdisjoint(words_of(parameter)):
        return True
    return any(type(value) is str and not _ACTS.isdisjoint(words_of(value)) for value in values)


def chooses_nothing(default: Any) -> bool:
    """Whether a default only says that nothing is chosen."""
    return default is None or default == ""


def same_items(one: Any, other: Any) -> bool:
    """Whether two texts list the same items between commas: generators that print a set shuffle them at every start."""
    if type(one) is not str or type(other) is not str or "," not in one:
        return False
    return sorted(part.strip() for part in one.split(",")) == sorted(part.strip() for part in other.split(","))
