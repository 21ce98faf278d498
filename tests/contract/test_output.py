from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import hostile_json
from witnessmark.contract import validating
from witnessmark.contract.output import BREACHES, NOT_CHECKED, output_violation


def held_against(present: bool, content: object, schema: object, must_be_object: bool) -> str | None:
    return output_violation(present, content, None if schema is None else validating.SchemaFit(schema), must_be_object)


HITS: dict[str, Any] = {"type": "object", "properties": {"hits": {"type": "integer"}}, "required": ["hits"]}


def doubling(levels: int, reference: str = "#/$defs/d{}") -> dict[str, Any]:
    defs: dict[str, Any] = {"d0": {"$anchor": "d0"}}
    for level in range(1, levels):
        to_one_below = {"$ref": reference.format(level - 1)}
        defs[f"d{level}"] = {"allOf": [to_one_below, to_one_below], "$anchor": f"d{level}"}
    return {"$defs": defs, "$ref": reference.format(levels - 1)}


def chain(value: Any, levels: int) -> Any:
    for _ in range(levels):
        value = {"c": value}
    return value


@pytest.mark.parametrize(
    "content, schema, violation",
    [
        ({"hits": 3}, HITS, None),
        ({"hits": 3.0}, HITS, None),
        ({"hits": "3"}, HITS, "OutputSchemaViolated"),
        ({}, HITS, "OutputSchemaViolated"),
        ({"a": 1}, None, None),
        ([1], None, "StructuredContentNotObject"),
        (None, HITS, "StructuredContentNotObject"),
        ({"a": 1}, {"properties": {"a": {"$ref": "#/$defs/s"}}, "$defs": {"s": {"type": "string"}}}, "OutputSchemaViolated"),
        ({"a": 2**70}, {"properties": {"a": {"type": "integer"}}}, None),
        ({"when": "no date"}, {"properties": {"when": {"format": "date"}}}, None),
    ],
)
def test_structured_content_is_held_against_the_declared_schema(content: object, schema: object, violation: str | None) -> None:
    assert held_against(True, content, schema, True) == violation


def test_content_that_was_promised_and_not_sent_is_missing() -> None:
    assert held_against(False, None, HITS, True) == "StructuredContentMissing"
    assert held_against(False, None, None, True) is None


@pytest.mark.parametrize(
    "content, schema, violation",
    [
        ([1, 2], {"type": "array"}, None),
        (None, {"type": "null"}, None),
        (None, {"type": "object"}, "OutputSchemaViolated"),
        (7, None, None),
    ],
)
def test_where_the_revision_allows_any_value_only_the_schema_decides(content: object, schema: object, violation: str | None) -> None:
    assert held_against(True, content, schema, False) == violation


@pytest.mark.parametrize(
    "schema",
    [
        True,
        [],
        "object",
        {"type": "no such type"},
        {"properties": 3},
        {"$ref": "https://example.test/schema"},
        {"$ref": "file:///schema.json"},
        {"$ref": "other.json"},
        {"$ref": "#/$defs/gone"},
        {"$schema": "https://example.test/dialect"},
        {"pattern": "^(?=look)ahead"},
        {"pattern": "(a{1000}){1000}{1000}"},
        {"const": float("nan")},
        {"description": "x" * validating.MAX_SCHEMA_BYTES},
        doubling(60),
        doubling(60, "#d{}"),
        chain({}, 300),
    ],
    ids=lambda schema: str(schema)[:40],
)
def test_a_schema_that_cannot_be_used_is_named_and_proves_nothing(schema: object) -> None:
    violation = held_against(True, {}, schema, True)
    assert violation == "OutputSchemaUnusable"
    assert violation in NOT_CHECKED
    assert violation not in BREACHES


def test_a_schema_that_refers_to_a_file_of_this_host_does_not_read_it(tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text("{}", encoding="utf-8")
    assert held_against(True, {}, {"$ref": (tmp_path / "schema.json").as_uri()}, True) == "OutputSchemaUnusable"


@pytest.mark.parametrize(
    "content",
    [
        {"a": "x" * validating.MAX_INSTANCE_BYTES},
        {"a": [0] * validating.MAX_INSTANCE_BYTES},
        {"x" * validating.MAX_INSTANCE_BYTES: 0},
        {"a": float("nan")},
        {"a": b"x"},
        chain({}, 200),
    ],
    ids=["text", "list", "name", "nan", "bytes", "depth"],
)
def test_content_beyond_the_bounds_is_unchecked_and_not_wrong(content: object) -> None:
    assert held_against(True, content, {"type": "object"}, True) == "OutputUnchecked"


def test_a_text_that_the_validator_cannot_take_is_unchecked() -> None:
    assert held_against(True, {"a": "\ud800"}, {"properties": {"a": {"pattern": "a"}}}, True) == "OutputUnchecked"


def test_many_alternatives_against_many_items_are_not_tried() -> None:
    schema = {"properties": {"a": {"items": {"anyOf": [{"const": each} for each in range(10_000)]}}}}
    assert held_against(True, {"a": [9_999] * 100_000}, schema, True) == "OutputUnchecked"


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        {"$defs": {"n": {"properties": {"c": {"allOf": [{"$ref": "#/$defs/n"}] * 2}}}}, "$ref": "#/$defs/n"},
        doubling(10),
        {"properties": {f"p{each}": {"$ref": "#/$defs/a~1b"} for each in range(100)}, "$defs": {"a/b": {"type": "string"}}},
    ],
)
def test_a_schema_that_refers_to_itself_is_used_and_ends(schema: dict[str, Any]) -> None:
    assert held_against(True, chain({}, 100), schema, True) is None


def test_a_hostile_pattern_takes_linear_time() -> None:
    schema = {"properties": {"a": {"pattern": "^(a+)+$"}}}
    assert held_against(True, {"a": "a" * 100_000 + "b"}, schema, True) == "OutputSchemaViolated"


def test_compiled_schemas_are_kept_up_to_a_bound_and_the_newest_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    compile_schema = validating._compiled

    def counting(schema: object, size: int) -> Any:
        compiled.append(schema)
        return compile_schema(schema, size)

    validators = validating._Validators()
    monkeypatch.setattr(validating, "_compiled", counting)
    monkeypatch.setattr(validating, "_VALIDATORS", validators)
    schemas = [{"minProperties": each} for each in range(validating.MAX_KEPT_VALIDATORS + 10)]
    for schema in (*schemas, *reversed(schemas[-5:]), {"minProperties": 0.0}):
        held_against(True, {}, schema, True)
    assert len(validators._kept) == validating.MAX_KEPT_VALIDATORS
    assert compiled == [*schemas, {"minProperties": 0}]


@given(hostile_json.values, hostile_json.values)
def test_any_json_is_answered_by_a_known_word(content: Any, schema: Any) -> None:
    answers = {None} | BREACHES | NOT_CHECKED
    assert held_against(True, content, schema, False) in answers
    assert held_against(True, {"a": content}, {"properties": {"a": schema}}, True) in answers
