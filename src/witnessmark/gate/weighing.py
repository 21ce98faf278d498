"""A call's arguments against the current contract: names that nobody declares any more, and values that the schema refuses.

The swallowed argument in the act: a name that an older contract declared and the current one does not. Names of arguments
that no contract ever declared are the model's own words: they are counted and not repeated. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from witnessmark.contract.arguments import declares, undeclared_names
from witnessmark.contract.successors import successors
from witnessmark.contract.validating import Fit
from witnessmark.observe.served import Served


class Weighed(NamedTuple):
    """`undeclared` names in all; of these, `swallowed`: those that an older contract declared, each with its likely new name ("")."""

    undeclared: int = 0
    swallowed: tuple[tuple[str, str], ...] = ()
    fit: Fit = "fits"


def weigh(arguments: object, current: Served, older: Sequence[dict[str, Any]]) -> Weighed:
    """How the arguments of a call stand to the tool's current contract. `older`: approved and earlier served contracts.

    Arguments that are no object break any schema of a tool.
    """
    schema = current.tool.get("inputSchema")
    if arguments is None:
        arguments = {}
    if type(arguments) is not dict:
        return Weighed(fit="breaks")
    undeclared, _ = current.fit(arguments)
    names = undeclared_names(arguments, schema) if undeclared else ()
    swallowed = []
    for name in names:
        origin = next((each.get("inputSchema") for each in older if declares(name, each.get("inputSchema"))), None)
        if origin is not None:
            swallowed.append((name, _likely(name, origin, schema)))
    return Weighed(len(names), tuple(swallowed), current.values_fit(arguments))


def _likely(name: str, old: Any, new: Any) -> str:
    """The new name that the old one probably became, "" if none fits."""
    before, after = (schema.get("properties") if type(schema) is dict else None for schema in (old, new))
    if type(before) is not dict or type(after) is not dict or name not in before:
        return ""
    orders = [[each for each in schema.get("required") or () if type(each) is str] for schema in (old, new)]
    fresh = {each: schema for each, schema in after.items() if each not in before}
    gone = {each: schema for each, schema in before.items() if each not in after}
    found = successors(gone, fresh, orders[0], orders[1], (old, new))
    return next((renamed.new for renamed in found if renamed.old == name), "")
