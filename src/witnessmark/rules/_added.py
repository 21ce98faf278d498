"""Which kind a new parameter is: required, of power, narrowing the result, or only new.

Pure: no I/O, no clock. Word lists were collected from real upgrades; they raise a suspicion, and the texts say so.
"""

from __future__ import annotations

from typing import Final

from witnessmark.contract.object_names import Names
from witnessmark.contract.successors import words_of

REQUIRED: Final = "param-added-required"
REQUIRED_WITH_DEFAULT: Final = "param-added-required-with-default"
NARROWS: Final = "default-narrows-result"
POWER: Final = "param-added-optional-power"
OPTIONAL: Final = "param-added-optional"

# Words of names that give a tool more reach, or ask the model for what nobody asked before.
_POWER: Final = frozenset(
    (
        *("path", "paths", "url", "urls", "uri", "code", "script", "force", "forced", "recursive", "headers", "header", "env"),
        *("environment", "command", "cmd", "args", "argv", "shell", "overwrite", "exec", "eval", "sudo", "password", "secret"),
        *("intent", "rationale", "reason", "reasons", "reasoning", "justification", "thought", "thoughts", "conversation", "context"),
    )
)
# A file name is power where the tool runs what it is given: there the file may replace what was approved.
_FILE: Final = frozenset(("file", "filename", "filepath"))
_RUNS: Final = frozenset(("code", "script", "command", "function", "expression"))

_SIZE: Final = frozenset(("limit", "count", "size", "max", "maximum", "top", "take", "first", "length", "results", "rows", "depth", "k"))
_DETAIL: Final = frozenset(
    (
        "minimal",
        "compact",
        "brief",
        "short",
        "summary",
        "summarize",
        "detail",
        "details",
        "verbosity",
        "fields",
        "scale",
        "quality",
    )
)
_FILTER: Final = frozenset(("filter", "filters", "state", "status", "since", "until", "only", "exclude", "hide", "skip", "truncate"))
_INCLUDE: Final = frozenset(("include", "includes", "with", "show", "full", "all", "verbose", "expand"))
_PER_PAGE: Final = (("per", "page"), ("page", "size"), ("perpage",), ("pagesize",))


def narrows(names: Names, name: str) -> bool:
    """Whether a name that is new in an object may narrow the result of a call that does not send it.

    A required one with a default counts too: the server fills it in.
    """
    schema = names.now(name).schema
    if name in names.spot.new.required and "default" not in schema:
        return False
    return _narrows(words_of(name), "default" in schema, schema.get("default"))


def kind_of_added(names: Names, name: str) -> str:
    """The kind of a name that is new in an object."""
    schema = names.now(name).schema
    if name in names.spot.new.required:
        return REQUIRED_WITH_DEFAULT if "default" in schema else REQUIRED
    if narrows(names, name):
        return NARROWS
    words = words_of(name)
    if not _POWER.isdisjoint(words) or (not _FILE.isdisjoint(words) and _runs_something(names)):
        return POWER
    return OPTIONAL


def _runs_something(names: Names) -> bool:
    """Whether another parameter of the object holds what is run."""
    return any(not _RUNS.isdisjoint(words_of(other)) for other in names.spot.new.properties)


def _narrows(words: list[str], has_default: bool, default: object) -> bool:  # noqa: FBT001  # one fact of a schema
    """Whether leaving the parameter out may give less than the same call gave before."""
    told = set(words)
    if any(all(word in told for word in sign) for sign in _PER_PAGE):
        # A page size says that there are pages now, whatever its default is.
        return True
    if not has_default or default is None or default in ("", "all", "*", "*all", [], {}):
        return False
    if not told.isdisjoint(_INCLUDE):
        return default is False
    if type(default) is bool:
        return default and not told.isdisjoint(_DETAIL | _FILTER)
    if not told.isdisjoint(_SIZE):
        return type(default) in (int, float) and default != 0
    return not told.isdisjoint(_DETAIL | _FILTER)
