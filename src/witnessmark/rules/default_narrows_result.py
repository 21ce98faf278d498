"""A new parameter whose default may cut the result of an old call."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.rules._added import narrows
from witnessmark.rules._naming import named, shown_value
from witnessmark.rules._rule import Doc, Found, Rule


def find(pair: Pair) -> Iterator[Found]:
    """New names with such a default, or that say that there are pages now."""
    for names in pair.input.names:
        for name in names.added:
            if narrows(names, name):
                default = names.now(name).schema.get("default")
                told = "pages appear" if default is None else f"its default is {shown_value(default)}"
                why = f"{named(names, name)} is new and {told}: a call without it may return less than before"
                yield Found(pointer=names.place(name), why=why, after=names.spot.new.properties[name])


RULE = Rule(
    kind="default-narrows-result",
    name="A new default may narrow the result",
    old_caller="silent",
    model_told="changed",
    confidence="medium",
    step="read",
    action="compare one result, or send the parameter explicitly",
    find=find,
    mirror=("param-removed-open", "param-removed-closed"),
    doc=Doc(
        means="A new parameter has a default, and its name is about paging, size, detail or filtering.",
        matters="An old call does not send it, so the default applies: the same call may return less than before, and nothing says so.",
        do="Compare the result of one call before and after, or send the parameter explicitly.",
        cannot_see="Whether the default was the server's behaviour all along and is only written down now.",
        source=(
            "Seen: `page_size` 50 where all rows came before; `minimal_output` true; `include...` false. A suspicion by name and default."
        ),
    ),
)
