"""The texts of one tool that differ between two contracts, read once for all text rules.

Pure: no I/O, no clock. A text belongs to the place that holds it: the tool, a parameter, another place of the input
schema, the output schema. Where a text is only arranged in another way, or only in another Unicode form, it says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

import msgspec

from witnessmark.contract.invisible import new_hidden, visible
from witnessmark.contract.orders import new_orders
from witnessmark.contract.prose import Reading, reading, said
from witnessmark.contract.spots import Spot

Role = Literal["tool", "param", "schema", "output"]
Form = Literal["added", "removed", "arranged", "unicode", "hidden", "reworded"]

# Characters in which two texts may differ without a word: spaces and line ends.
_SPACES: Final = re.compile(r"\s+")


class TextEdit(msgspec.Struct, frozen=True, kw_only=True):
    """One text that differs. `before` or `after` is None where there is none. `form`: `arranged` if only spaces and line
    ends differ, `unicode` if only the normalization form does, `hidden` if only new characters without a picture do (they
    have a rule of their own). `hidden`: characters that no reader sees and that are new.
    `reading` is of the visible texts.
    """

    pointer: str
    role: Role
    form: Form
    before: str | None
    after: str | None
    reading: Reading
    hidden: tuple[str, ...] = ()


def text_edits(old_tool: dict[str, Any], new_tool: dict[str, Any], inputs: Iterable[Spot], outputs: Iterable[Spot]) -> list[TextEdit]:
    """Every description that differs: the tool's, then those of the places that both schemas have, in their order."""
    places: list[tuple[str, Role, Any, Any]] = [("/description", "tool", old_tool.get("description"), new_tool.get("description"))]
    places.extend((pointer, "param" if named else "schema", old, new) for pointer, named, old, new in _described(inputs))
    places.extend((pointer, "output", old, new) for pointer, _, old, new in _described(outputs))
    differing = [place for place in places if place[2] != place[3]]
    if not differing:
        return []
    before, after = said(_descriptions(old_tool)), said(_descriptions(new_tool))
    found = [_edit(pointer, role, old, new, (before, after)) for pointer, role, old, new in differing]
    return [each for each in found if each is not None]


def _descriptions(tool: dict[str, Any]) -> Iterator[str]:
    """Every text of a tool's contract that stands under the name of a description."""
    waiting: list[Any] = [{"description": tool.get("description")}, tool.get("inputSchema"), tool.get("outputSchema")]
    while waiting:
        node = waiting.pop()
        if type(node) is dict:
            text = node.get("description")
            if type(text) is str:
                yield text
            waiting.extend(node.values())
        elif type(node) is list:
            waiting.extend(node)


def _described(spots: Iterable[Spot]) -> Iterator[tuple[str, bool, Any, Any]]:
    """(pointer of the text, whether its place is a property, text before, text now) of every place."""
    for spot in spots:
        yield f"{spot.pointer}/description", bool(spot.name), spot.old.schema.get("description"), spot.new.schema.get("description")


def _edit(pointer: str, role: Role, old: Any, new: Any, told: tuple[str, str]) -> TextEdit | None:
    """The difference of two texts; None if there is none. What is no string is no text, and an empty one is none. `told`
    is all that the tool said before and says now.
    """
    before, after = (text if type(text) is str and text.strip() else None for text in (old, new))
    if before == after:
        empty = before is None and old != new and {type(old), type(new)} <= {str, type(None)}
        if not empty:
            return None
        return TextEdit(pointer=pointer, role=role, form="arranged", before=old, after=new, reading=Reading("wording"))
    hidden = new_hidden(before or "", after or "")
    seen_before, seen_after = visible(before or ""), visible(after or "")
    form: Form = "reworded"
    if before is None:
        form, read = "added", Reading("wording", (), new_orders("", seen_after))
    elif after is None:
        form, read = "removed", reading(seen_before, "", *told)
    elif seen_before == seen_after and hidden:
        form, read = "hidden", Reading("wording")
    elif _arranged(seen_before) == _arranged(seen_after):
        form, read = "arranged", Reading("wording")
    elif _composed(seen_before) == _composed(seen_after):
        form, read = "unicode", Reading("wording")
    else:
        read = reading(seen_before, seen_after, *told)
    return TextEdit(pointer=pointer, role=role, form=form, before=before, after=after, reading=read, hidden=hidden)


def _arranged(text: str) -> str:
    """The text with each run of spaces and line ends as one space."""
    return _SPACES.sub(" ", text).strip()


def _composed(text: str) -> str:
    """The same in normalization form C."""
    return unicodedata.normalize("NFC", _arranged(text))
