"""Two catalogs side by side: tools kept, gone, added, said twice, and those that probably only changed their name.

Pure: no I/O, no clock. Linear in the size of the catalog: renames are looked up by digest and by folded name; texts are
compared only between tools with the same parameter names, and only up to a number of comparisons.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property
from typing import Any, Final

from witnessmark.contract.canonical import canonical_bytes
from witnessmark.contract.schema_view import same_fast
from witnessmark.contract.successors import NAME_LIKENESS, TEXT_LIKENESS, Renamed, folded, name_likeness, text_likeness
from witnessmark.errors import PeerError
from witnessmark.model.capture import Capture

# Comparisons of two descriptions in one catalog: a bulk rename of 117 tools (the largest real catalog) without shared
# parameter names needs 13,689 at most.
_MAX_TEXT_COMPARISONS: Final = 20_000
# Likeness of texts that is enough where the input schemas are equal to the byte.
_SAME_INPUT_TEXT_LIKENESS: Final = 0.3


class TwoCatalogs:
    """One server's catalog before and after. Lists are in the order of the names."""

    def __init__(self, old: Capture, new: Capture) -> None:
        self.old = old
        self.new = new
        self.old_tools = _by_name(old)
        self.new_tools = _by_name(new)
        self.twice: list[str] = sorted(_twice(new))
        self.kept: list[str] = sorted(self.old_tools.keys() & self.new_tools.keys())

    @cached_property
    def changed(self) -> list[str]:
        """The kept tools that differ, members outside the contract included; RecursionError where one is nested too deep."""
        return [name for name in self.kept if not same_fast(self.old_tools[name], self.new_tools[name])]

    @cached_property
    def renamed(self) -> tuple[Renamed, ...]:
        """The tools that are gone and probably live on under another name."""
        gone = {name: self.old_tools[name] for name in sorted(self.old_tools.keys() - self.new_tools.keys())}
        added = {name: self.new_tools[name] for name in sorted(self.new_tools.keys() - self.old_tools.keys())}
        return tuple(_matched(gone, added)) if gone and added else ()

    @cached_property
    def gone(self) -> list[str]:
        """The tools that are gone without a likely successor."""
        return sorted(self.old_tools.keys() - self.new_tools.keys() - {each.old for each in self.renamed})

    @cached_property
    def added(self) -> list[str]:
        """The tools whose name is new, successors of others included."""
        return sorted(self.new_tools.keys() - self.old_tools.keys())


def _by_name(capture: Capture) -> dict[str, dict[str, Any]]:
    """The tools by name; of a name said twice the first."""
    found: dict[str, dict[str, Any]] = {}
    for tool in capture.tools:
        name = tool.get("name")
        if type(name) is str:
            found.setdefault(name, tool)
    return found


def _twice(capture: Capture) -> set[str]:
    """The names that stand for two different definitions (pages may overlap: one definition twice is one tool)."""
    counted = Counter(tool["name"] for tool in capture.tools if type(tool.get("name")) is str)
    several = {name for name, times in counted.items() if times > 1}
    forms: defaultdict[str, set[bytes]] = defaultdict(set)
    for tool in capture.tools:
        if tool.get("name") in several:
            forms[tool["name"]].add(_form(tool))
    return {name for name, held in forms.items() if len(held) > 1}


def _form(value: Any) -> bytes:
    """The canonical form, or what distinguishes the value where it has none."""
    try:
        return canonical_bytes(value)
    except PeerError:
        return repr(value).encode("utf-8", "surrogatepass")


def _matched(gone: dict[str, dict[str, Any]], added: dict[str, dict[str, Any]]) -> list[Renamed]:
    """Each gone tool with at most one successor, the surest signs first."""
    found: list[Renamed] = []
    budget = _MAX_TEXT_COMPARISONS
    for reason, key in (
        ("the same name but for case and separators", lambda tool: folded(tool["name"])),
        ("the same input schema", lambda tool: _form(tool.get("inputSchema"))),
        ("the same parameter names", _parameter_names),
    ):
        waiting: defaultdict[Any, list[str]] = defaultdict(list)
        for name, tool in added.items():
            waiting[key(tool)].append(name)
        for old_name, tool in list(gone.items()):
            best, best_likeness = "", 0.0
            for new_name in waiting.get(key(tool), ()):
                if new_name not in added or budget <= 0:
                    continue
                budget -= 1
                likeness = _likeness(tool, added[new_name], reason)
                if likeness > best_likeness:
                    best, best_likeness = new_name, likeness
            if best:
                found.append(Renamed(old_name, best, (reason, *_text_reason(tool, added[best]))))
                del gone[old_name], added[best]
    return found


def _likeness(old: dict[str, Any], new: dict[str, Any], reason: str) -> float:
    """How much speaks for the rename, 0 for too little."""
    texts = text_likeness(old.get("description"), new.get("description"))
    names = name_likeness(old["name"], new["name"])
    if reason.startswith("the same name"):
        return 1 + texts
    if reason == "the same input schema" and _parameter_names(old) and (texts >= _SAME_INPUT_TEXT_LIKENESS or names >= NAME_LIKENESS):
        return 1 + texts + names
    return texts + names if texts >= TEXT_LIKENESS else 0.0


def _text_reason(old: dict[str, Any], new: dict[str, Any]) -> tuple[str, ...]:
    """What the texts say for the rename."""
    likeness = text_likeness(old.get("description"), new.get("description"))
    return ("a similar description",) if likeness >= TEXT_LIKENESS else ()


def _parameter_names(tool: dict[str, Any]) -> frozenset[str]:
    """The names of a tool's parameters."""
    schema = tool.get("inputSchema")
    held = schema.get("properties") if type(schema) is dict else None
    return frozenset(held) if type(held) is dict else frozenset()
