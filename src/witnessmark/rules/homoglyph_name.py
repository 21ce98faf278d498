"""A name is written with look-alike letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from witnessmark.contract.invisible import escape, mixed, skeleton
from witnessmark.contract.pairing import CatalogPair
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule
from witnessmark.rules._server import changed_tools, strings

# Characters that one explanation names.
_SHOWN: Final = 5


def find(catalogs: CatalogPair) -> Iterator[Found]:
    """New names of tools, members and listed values that mix look-alike alphabets or look like an old one."""
    looks = {skeleton(name): name for name in catalogs.old_tools}
    for before, tool in changed_tools(catalogs):
        name = tool["name"]
        if before is None and not name.isascii() and (why := _why(name, looks.get(skeleton(name), ""))):
            yield Found(pointer="/name", why=why, after=name, tool=name)
        was = {text for _, text, _ in strings(before)}
        for pointer, text, is_name in strings(tool):
            if text not in was and (is_name or "/enum/" in pointer or pointer.endswith("/const")):
                alike = _alike(before, pointer, skeleton(text)) if is_name else ""
                if why := _why(text, alike):
                    yield Found(pointer=pointer, why=why, after=text, tool=name)


def _why(name: str, alike: str) -> str:
    """What is wrong with a name, or ""."""
    if not mixed(name) and not alike:
        return ""
    foreign = ", ".join(sorted({escape(char) for char in name if not char.isascii()})[:_SHOWN])
    return f"{foreign} among letters that look the same" + (f"; it looks like {quoted(alike)}" if alike else "")


def _alike(tool: dict[str, Any] | None, pointer: str, looks: str) -> str:
    """The looks if the old object at the place had a name that is written as it looks, else ""."""
    node: Any = tool
    for part in pointer.split("/")[1:-1]:
        node = node.get(part.replace("~1", "/").replace("~0", "~")) if type(node) is dict else None
    return looks if type(node) is dict and looks in node else ""


RULE = Rule(
    kind="homoglyph-name",
    name="A name is written with look-alike letters",
    old_caller="loud",
    model_told="escalated",
    confidence="medium",
    step="stop",
    action="stop, and compare the name letter by letter",
    find_in_catalog=find,
    mirror=("homoglyph-name", "tool-renamed", "tool-added", "tool-removed", "param-renamed-open", "param-renamed-closed"),
    doc=Doc(
        means="The name of a tool or parameter, or an allowed value, is new and mixes letters of alphabets that look alike, "
        "or looks exactly like one that was there before.",
        matters="A Cyrillic letter in a Latin name makes another name that no person can tell apart: it takes the place of an "
        "approved one, and calls by the old name are refused.",
        do="Do not approve. Compare the names by their code points.",
        cannot_see="Look-alikes inside one alphabet (`l` and `1`), and names in one foreign alphabet that resemble nothing known.",
        source="Unicode Technical Standard 39: mixed-script detection and confusables; the table here holds the letters that "
        "common fonts draw alike.",
    ),
)
