"""Spans in YAML, by the marks of PyYAML's nodes (docs/adr/0009-pyyaml.md). Nothing is constructed, and nothing written anew."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from witnessmark.adapters.client_files_text import NO_YAML, Unreadable
from witnessmark.adapters.wrap.spans import Member, Node, NoSpan, Pointer, Wanted

MAX_YAML_CHARS: Final = 256 << 10
"""Marks need PyYAML's reader in Python, about 1 MB in 10 s; real files have some kB."""
MAX_YAML_VALUES: Final = 200_000
"""Values that references multiply: a few lines can stand for billions, and two readings are compared value by value."""
_TEXT: Final = "tag:yaml.org,2002:str"
_LINE_END: Final = frozenset("\r\n\x85\u2028\u2029")


def yaml_spans(text: str, wanted: Wanted) -> Node:
    """The tree of the text's value; NoSpan where it stands in a way that is not edited, Unreadable without the extra `yaml`."""
    if len(text) > MAX_YAML_CHARS:
        raise NoSpan(f"the file is larger than {MAX_YAML_CHARS >> 10} KiB")
    try:
        yaml = import_module("yaml")
    except ImportError:
        raise Unreadable(NO_YAML) from None
    try:
        found = yaml.compose(text, Loader=yaml.SafeLoader)
        _size(found, {})
    except (yaml.YAMLError, RecursionError):
        raise NoSpan("the file is written in a way that is not known here") from None
    return _node(text, found, (), wanted)


def _size(raw: Any, known: dict[int, int]) -> int:
    """Values below the node, each as often as it is referred to: what a comparison of two readings would look at."""
    if raw is None or raw.id == "scalar":
        return 1
    if id(raw) in known:
        if not known[id(raw)]:
            raise NoSpan("the file refers to itself")
        return known[id(raw)]
    known[id(raw)] = 0
    inner = (one for pair in raw.value for one in pair) if raw.id == "mapping" else raw.value
    size = 1 + sum(_size(one, known) for one in inner)
    if size > MAX_YAML_VALUES:
        raise NoSpan(f"the file has more than {MAX_YAML_VALUES:,} values, references counted")
    known[id(raw)] = size
    return size


def _node(text: str, raw: Any, pointer: Pointer, wanted: Wanted) -> Node:
    start, end = raw.start_mark.index, raw.end_mark.index
    if raw.id == "scalar":
        return _scalar(text, raw, start, end)
    if pointer not in wanted:
        return Node("other", start, end)
    if raw.id == "mapping":
        members = [
            Member(key.value, key.start_mark.index, _node(text, value, (*pointer, key.value), wanted))
            for key, value in raw.value
            if key.id == "scalar" and key.tag == _TEXT
        ]
        return Node("map", start, end, block=not raw.flow_style, members=members)
    items = [_node(text, one, (*pointer, number), wanted) for number, one in enumerate(raw.value)]
    node = Node("list", start, end, block=not raw.flow_style, items=items)
    if node.block:
        for item in items:
            item.outer = _dash(text, item.start)
        node.end = items[-1].end if items else end
    return node


def _scalar(text: str, raw: Any, start: int, end: int) -> Node:
    """A text on one line, plain or quoted, can be moved; any other scalar stays where it is."""
    token = text[start:end]
    movable = raw.tag == _TEXT and raw.style in (None, "'", '"') and token[:1] not in "&*!" and not _LINE_END & set(token)
    return Node("text" if movable and token else "other", start, end, raw.value)


def _dash(text: str, at: int) -> int:
    """Where the dash of the item stands that begins at `at`."""
    dash = text.rfind("-", 0, at)
    if dash < 0 or text[dash + 1 : at].strip(" \t"):
        raise NoSpan("its arguments are written in a way that is not known here")
    return dash
