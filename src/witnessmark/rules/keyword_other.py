"""A keyword that no rule knows changed."""

from __future__ import annotations

from collections.abc import Iterator

from witnessmark.contract.pairing import Pair
from witnessmark.contract.schema_view import same
from witnessmark.contract.spots import escaped
from witnessmark.model.change import ABSENT
from witnessmark.rules._naming import quoted
from witnessmark.rules._rule import Doc, Found, Rule

# Read by other rules, by texts' rules, or part of where schemas stand.
_KNOWN = frozenset(
    (
        *("type", "enum", "const", "default", "title", "description", "examples", "deprecated", "readOnly", "writeOnly", "$comment"),
        *("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "unevaluatedProperties"),
        *("minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "items", "prefixItems"),
        *("additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains", "minItems", "maxItems", "uniqueItems"),
        *("minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref", "$defs", "definitions", "$schema"),
        *("contentEncoding", "contentMediaType", "contentSchema", "x-mcp-header", "x-fastmcp-wrap-result"),
    )
)


def find(pair: Pair) -> Iterator[Found]:
    """Unknown keywords that differ."""
    for spot in pair.input.spots:
        old, new = spot.old.schema, spot.new.schema
        for keyword in sorted((old.keys() | new.keys()) - _KNOWN):
            if (keyword in old) != (keyword in new) or not same(old[keyword], new[keyword]):
                yield Found(
                    pointer=f"{spot.pointer}/{escaped(keyword)}",
                    why=f"the keyword {quoted(keyword)} changed, which no rule reads",
                    before=old.get(keyword, ABSENT),
                    after=new.get(keyword, ABSENT),
                )


RULE = Rule(
    kind="keyword-other",
    name="An unknown keyword changed",
    old_caller="none",
    model_told="changed",
    confidence="low",
    step="note",
    action="note it; read it if it means something to you",
    find=find,
    mirror=("keyword-other",),
    doc=Doc(
        means="A keyword that JSON Schema does not define, or that no rule reads, was added, dropped or changed.",
        matters="Validators ignore unknown keywords; the model may read them.",
        do="Take note of it; old calls need nothing.",
        cannot_see="What the keyword means to the server or to the client.",
        source="JSON Schema 2020-12, core 6.5: unknown keywords are annotations.",
    ),
)
