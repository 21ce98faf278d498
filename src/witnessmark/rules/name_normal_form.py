"""A name is spelled in another Unicode form."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import normalize

from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._rule import Doc, Found, Rule
from witnessmark.rules._server import changed_tools, strings


def find(catalogs: CatalogPair) -> Iterator[Found]:
    """New names and listed values that are canonically equal to one that is gone from the same kind of place."""
    forms = {normalize("NFC", name): name for name in catalogs.old_tools if not name.isascii() and name not in catalogs.new_tools}
    for before, tool in changed_tools(catalogs):
        name = tool["name"]
        old = forms.get(normalize("NFC", name)) if before is None else None
        if old is not None:
            yield Found(pointer="/name", why="the same name to the eye, other characters", before=old, after=name, tool=name)
        held, now = list(strings(before)), list(strings(tool))
        was = {normalize("NFC", text): text for pointer, text, is_name in held if _is_name(pointer, is_name=is_name)}
        kept = {text for _, text, _ in now}
        for pointer, text, is_name in now:
            old = was.get(normalize("NFC", text)) if _is_name(pointer, is_name=is_name) else None
            if old is not None and old != text and old not in kept:
                yield Found(pointer=pointer, why="the same name to the eye, other characters", before=old, after=text, tool=name)


def _is_name(pointer: str, *, is_name: bool) -> bool:
    """Whether servers compare the text at a place byte by byte."""
    return is_name or "/enum/" in pointer or pointer.endswith("/const")


RULE = Rule(
    kind="name-normal-form",
    name="A name is spelled in another Unicode form",
    old_caller="loud",
    model_told="changed",
    confidence="proven",
    step="stop",
    action="stop; report it to the server's owner",
    find_in_catalog=find,
    mirror=("name-normal-form",),
    doc=Doc(
        means="A tool, a parameter or an allowed value has a name that looks like an old one and is written with other "
        "characters: a letter with its mark as one character, or as two.",
        matters="Servers compare names byte by byte: a call or argument by the old spelling is unknown, or swallowed where "
        "names are not checked.",
        do="Report it. Use the new spelling only if the server insists.",
        cannot_see="Servers that normalize names before they compare.",
        source="Unicode Standard Annex 15: canonical equivalence (NFC, NFD).",
    ),
)
