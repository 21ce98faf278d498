"""Which part of an old union is which part of a new one: by discriminator, by reference, by content, by type.

Pure: no I/O, no clock. An indexed comparison would report one part taken out of the middle as a change of all behind it.
"""

from __future__ import annotations

from typing import Any, Final

from witnessmark.contract.canonical import canonical_bytes
from witnessmark.contract.schema_view import View, only_null
from witnessmark.contract.schema_walk import ANNOTATION_KEYWORDS
from witnessmark.errors import PeerError

# Parts of one union that are matched; what lies behind them is compared by position.
_MAX_MATCHED: Final = 200

Indexed = tuple[tuple[int, Any], ...]
Pairs = tuple[tuple[Any, Any, str], ...]


def match_branches(old: View, new: View) -> tuple[Pairs, Indexed, Indexed]:
    """(pairs with their place below the new schema, old parts without partner, new parts without partner).

    Where only one side is a union, the other counts as a union of itself, without its texts; nothing is matched where
    neither is one.
    """
    if not old.branches and not new.branches:
        return (), (), ()
    olds = list(enumerate(old.branches or (_plain(old.schema),)))[:_MAX_MATCHED]
    news = list(enumerate(new.branches or (_plain(new.schema),)))[:_MAX_MATCHED]
    # Null may stand between the parts; the pointer counts places of the list as sent.
    news_at = _places(new) if new.branches else {0: ""}
    pairs: list[tuple[Any, Any, str]] = []
    for key in (_content, _discriminator, _types):
        waiting: dict[Any, list[tuple[int, Any]]] = {}
        for index, branch in news:
            if (sign := key(branch)) is not None:
                waiting.setdefault(sign, []).append((index, branch))
        for index, branch in list(olds):
            sign = key(branch)
            partners = waiting.get(sign) if sign is not None else None
            if partners:
                partner = partners.pop(0)
                pairs.append((branch, partner[1], news_at.get(partner[0], "")))
                olds.remove((index, branch))
                news.remove(partner)
    return tuple(pairs), tuple(olds), tuple(news)


def _places(side: View) -> dict[int, str]:
    """Where each part stands below the schema, by its index among the parts that are not null."""
    held = side.schema.get(side.union)
    if type(held) is not list:
        return {0: ""}
    kept = [index for index, each in enumerate(held) if not only_null(each)]
    return {index: f"{side.union}/{place}" for index, place in enumerate(kept)}


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name not in ANNOTATION_KEYWORDS}


def _content(branch: Any) -> Any:
    """The canonical form of a part."""
    try:
        return canonical_bytes(branch)
    except PeerError:
        return None


def _discriminator(branch: Any) -> Any:
    """The constants that a part's properties must have, or its own reference or constant; None if it has none."""
    if type(branch) is not dict:
        return None
    if "$ref" in branch:
        return ("$ref", str(branch["$ref"]))
    properties = branch.get("properties")
    if type(properties) is not dict:
        return None
    found = []
    for name, child in properties.items():
        if type(child) is dict:
            values = [child["const"]] if "const" in child else child.get("enum")
            if type(values) is list and len(values) == 1 and type(values[0]) in (str, int, bool):
                found.append((name, type(values[0]).__name__, values[0]))
    return tuple(sorted(found, key=repr)) or None


def _types(branch: Any) -> Any:
    """The type of a part, and whether it is a list of values; None if it says none."""
    if type(branch) is not dict or type(branch.get("type")) is not str or _discriminator(branch) is not None:
        return None
    return (branch["type"], "const" in branch)
