"""The tools of a model request, read from the shape of their source: shown name, description, input schema.

Pure: no I/O, no clock. Shapes: the tools arrays of the four model APIs as formats.md names them (`anthropic-messages`,
`openai-chat`, `openai-responses`, `gemini`); for any other source word the entries are MCP tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

# Namespaces inside namespaces: the Responses API has one level; more is read, endless nesting is not.
_MAX_NAMESPACE_LEVELS: Final = 4

# Spellings of one member: the wire form, and those of SDK dumps that hosts log.
_GEMINI_LISTS: Final = ("functionDeclarations", "function_declarations")
_GEMINI_SCHEMAS: Final = ("parametersJsonSchema", "parameters_json_schema", "parameters")


class ShownDefinition(msgspec.Struct, frozen=True):
    """One tool as a model is shown it. None: the member is absent (or is not what the shape says it is).

    A tool inside a namespace is named `NAMESPACE.NAME`, as formats.md writes it. `deferred`: announced, but its
    definition is loaded only when the model asks for it.
    """

    name: str
    description: str | None = None
    input_schema: dict[str, Any] | None = None
    deferred: bool = False


class ShownTools(msgspec.Struct, frozen=True):
    """The tools of one request, and how many entries could not be read as a tool with a name.

    Hosted tools of the model's vendor (web search, code execution) are entries without a definition of ours; those
    with a name are among `definitions`, without a schema, and those without count as `unread`.
    """

    definitions: tuple[ShownDefinition, ...] = ()
    unread: int = 0


def read_shown(source: str, tools: object) -> ShownTools:
    """What a model is shown, from a tools array in the shape of `source`; never raises.

    A `tools` that is not a list counts as one unread entry.
    """
    read = _READERS.get(source, _read_mcp)
    if type(tools) is not list:
        return ShownTools((), 1)
    definitions: list[ShownDefinition] = []
    unread = 0
    for entry in tools:
        for definition in read(entry):
            if definition is None:
                unread += 1
            else:
                definitions.append(definition)
    return ShownTools(tuple(definitions), unread)


def _definition(entry: Any, schema: object, prefix: str = "", *, deferred: bool = False) -> ShownDefinition | None:
    """The definition that an entry holds, or None if the entry is not an object with a name."""
    if type(entry) is not dict or type(entry.get("name")) is not str:
        return None
    description = entry.get("description")
    return ShownDefinition(
        name=prefix + entry["name"],
        description=description if type(description) is str else None,
        input_schema=schema if type(schema) is dict else None,
        deferred=deferred or entry.get("defer_loading") is True,
    )


def _member(entry: Any, *names: str) -> Any:
    """The first of the members that the entry has, or None."""
    if type(entry) is dict:
        for name in names:
            if name in entry:
                return entry[name]
    return None


def _read_mcp(entry: Any) -> Iterator[ShownDefinition | None]:
    yield _definition(entry, _member(entry, "inputSchema"))


def _read_anthropic(entry: Any) -> Iterator[ShownDefinition | None]:
    if _member(entry, "type") == "tool_reference":
        # A reference names a deferred tool; its definition stands elsewhere in the same array.
        yield _definition({"name": _member(entry, "tool_name", "name")}, None, deferred=True)
    else:
        yield _definition(entry, _member(entry, "input_schema"))


def _read_openai_chat(entry: Any) -> Iterator[ShownDefinition | None]:
    inner = _member(entry, "function", "custom")
    yield _definition(inner, _member(inner, "parameters"), deferred=_member(entry, "defer_loading") is True)


def _read_openai_responses(entry: Any, prefix: str = "", levels_left: int = _MAX_NAMESPACE_LEVELS) -> Iterator[ShownDefinition | None]:
    if _member(entry, "type") != "namespace":
        yield _definition(entry, _member(entry, "parameters"), prefix)
        return
    name, inner = entry.get("name"), entry.get("tools")
    if type(name) is not str or type(inner) is not list or not levels_left:
        yield None
        return
    for each in inner:
        yield from _read_openai_responses(each, f"{prefix}{name}.", levels_left - 1)


def _read_gemini(entry: Any) -> Iterator[ShownDefinition | None]:
    declarations = _member(entry, *_GEMINI_LISTS)
    if declarations is None:
        # Hosts that log declarations one by one leave the list out; `googleSearch` and its kind have no name.
        yield _definition(entry, _member(entry, *_GEMINI_SCHEMAS))
    elif type(declarations) is not list:
        yield None
    else:
        for each in declarations:
            yield _definition(each, _member(each, *_GEMINI_SCHEMAS))


_READERS: Final[dict[str, Callable[[Any], Iterator[ShownDefinition | None]]]] = {
    "anthropic-messages": _read_anthropic,
    "openai-chat": _read_openai_chat,
    "openai-responses": _read_openai_responses,
    "gemini": _read_gemini,
}
