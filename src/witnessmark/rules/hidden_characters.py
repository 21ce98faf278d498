"""A text holds characters that no reader sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from witnessmark.contract.invisible import name_of, new_hidden, spelled
from witnessmark.contract.pairing import CatalogPair, Pair
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule
from witnessmark.rules._server import strings

# Characters that one explanation names.
_SHOWN: Final = 5


def find(pair: Pair) -> Iterator[Found]:
    """Places of a changed tool where such characters are new."""
    was = {(pointer, is_name): text for pointer, text, is_name in strings(pair.old)}
    for pointer, text, is_name in strings(pair.new):
        before = was.get((pointer, is_name), ABSENT)
        if hidden := new_hidden("" if before is ABSENT else before, text):
            yield Found(pointer=pointer, why=_why(hidden, text), before=before, after=text)


def find_in_catalog(catalogs: CatalogPair) -> Iterator[Found]:
    """Instructions and new tools, their names included, that hold such characters."""
    told = catalogs.new.instructions or ""
    if hidden := new_hidden(catalogs.old.instructions or "", told):
        yield Found(pointer="/instructions", why=_why(hidden, told), after=told)
    for name in catalogs.added:
        for pointer, text, _ in strings(catalogs.new_tools[name]):
            if hidden := new_hidden("", text):
                yield Found(pointer=pointer, why=_why(hidden, text), after=text, tool=name)


def _why(hidden: tuple[str, ...], text: str) -> str:
    """The characters by number and name, and what they spell."""
    said = "characters that no reader sees: " + ", ".join(map(name_of, hidden[:_SHOWN])) + (" and others" if len(hidden) > _SHOWN else "")
    return f"{said}; they spell {quoted(message)}" if (message := spelled(text)) else said


RULE = Rule(
    kind="hidden-characters",
    name="A text holds characters that no reader sees",
    old_caller="none",
    model_told="escalated",
    confidence="proven",
    step="stop",
    action="stop, and read the text with its hidden characters shown",
    find=find,
    find_in_catalog=find_in_catalog,
    doc=Doc(
        means="A name, a text or a value of a tool, or the server's instructions, holds characters that are drawn as nothing "
        "or that turn the reading direction, and did not before: zero-width characters, tags, direction controls, "
        "variation selectors.",
        matters="They hide orders from the person who approves and not from the model that obeys. None of 699 tools that were "
        "captured has any.",
        do="Do not approve. Read the text with the characters shown, and report it to the server's owner.",
        cannot_see="Orders that are hidden in plain words, or in a picture.",
        source="Unicode Standard, chapter 23; Unicode Technical Report 36. A picture's own selector and joiner do not count.",
    ),
)
