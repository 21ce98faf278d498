from __future__ import annotations

import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hostile_json
from witnessmark.contract.canonical import MAPPING_VERSION, canonical_bytes
from witnessmark.contract.digest import (
    catalog_digest,
    contract_digest,
    digest_of,
    extended_digest,
    meaning_digest,
    short,
    shown_digest,
)
from witnessmark.contract.projection import PROJECTED_MEMBERS, PROJECTION_VERSION, project
from witnessmark.errors import PeerError

VECTORS = json.loads((Path(__file__).parents[2] / "docs/vectors/contract-digest.json").read_text(encoding="utf-8"))

TOOL: dict[str, Any] = {
    "name": "read_ticket",
    "description": "Read one ticket by its id.",
    "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
}


def test_the_vectors_are_of_these_versions() -> None:
    assert (VECTORS["mapping_version"], VECTORS["projection_version"]) == (MAPPING_VERSION, PROJECTION_VERSION)


@pytest.mark.parametrize("vector", VECTORS["canonical"], ids=lambda vector: vector["about"])
def test_the_published_canonical_vectors_hold(vector: dict[str, Any]) -> None:
    form = canonical_bytes(json.loads(vector["json"]))
    assert form.decode() == vector["canonical"]
    assert sha256(form).hexdigest() == vector["sha256"]


@pytest.mark.parametrize("vector", VECTORS["refused"], ids=lambda vector: vector["about"])
def test_the_published_refusals_hold(vector: dict[str, Any]) -> None:
    with pytest.raises(PeerError):
        canonical_bytes(json.loads(vector["json"]))


@pytest.mark.parametrize("vector", VECTORS["tools"], ids=lambda vector: vector["about"])
def test_the_published_tool_vectors_hold(vector: dict[str, Any]) -> None:
    tool = json.loads(vector["json"])
    assert contract_digest(tool) == vector["contract"]
    assert extended_digest(tool) == vector["extended"]
    assert shown_digest(tool.get("description"), tool.get("inputSchema")) == vector["shown"]


@pytest.mark.parametrize("vector", VECTORS["catalogs"], ids=lambda vector: vector["about"])
def test_the_published_catalog_vectors_hold(vector: dict[str, Any]) -> None:
    assert catalog_digest([(name, digest) for name, digest in vector["pairs"]]) == vector["digest"]


def test_an_absent_member_stays_absent_and_is_not_null() -> None:
    assert project(TOOL) == TOOL
    assert contract_digest(TOOL) != contract_digest({**TOOL, "title": None})


@pytest.mark.parametrize("member", PROJECTED_MEMBERS)
def test_every_projected_member_is_part_of_the_digest(member: str) -> None:
    assert contract_digest({**TOOL, member: "one"}) != contract_digest({**TOOL, member: "other"})


@pytest.mark.parametrize("member", ["icons", "_meta", "x-unknown"])
def test_other_members_are_only_part_of_the_extended_digest(member: str) -> None:
    more = {**TOOL, member: {"a": 1}}
    assert contract_digest(more) == contract_digest(TOOL)
    assert extended_digest(more) != extended_digest(TOOL)


def test_key_order_and_the_spelling_of_numbers_are_no_change() -> None:
    one = {"name": "t", "inputSchema": {"type": "object", "properties": {"n": {"minimum": 1, "maximum": 2.0}}}}
    other = {"inputSchema": {"properties": {"n": {"maximum": 2, "minimum": 1.0}}, "type": "object"}, "name": "t"}
    assert contract_digest(one) == contract_digest(other)


@given(hostile_json.names_to(hostile_json.leaves.map(digest_of)), st.randoms())
def test_a_catalog_digest_does_not_depend_on_the_order_of_pages(by_name: dict[str, str], chance: random.Random) -> None:
    pairs = list(by_name.items())
    expected = catalog_digest(pairs)
    chance.shuffle(pairs)
    assert catalog_digest([*pairs, *pairs[:2]]) == expected


def test_names_of_a_catalog_are_sorted_by_code_point_and_not_by_utf_16() -> None:
    pairs = [("\U00010000", "sha256:1"), ("\uffff", "sha256:2")]
    in_order = b'[["\xef\xbf\xbf","sha256:2"],["\xf0\x90\x80\x80","sha256:1"]]'
    assert catalog_digest(pairs) == "sha256:" + sha256(in_order).hexdigest()


def test_names_alone_do_not_make_a_catalog_equal() -> None:
    assert catalog_digest([("a", "sha256:1")]) != catalog_digest([("a", "sha256:2")])


def test_two_definitions_under_one_name_are_an_error_that_names_the_tool() -> None:
    with pytest.raises(PeerError, match="'read\\\\x1b_ticket'"):
        catalog_digest([("read\x1b_ticket", "sha256:1"), ("b", "sha256:1"), ("read\x1b_ticket", "sha256:2")])


def test_what_is_shown_is_description_and_input_schema_only() -> None:
    assert shown_digest("d", {"type": "object"}) == digest_of({"description": "d", "inputSchema": {"type": "object"}})
    assert shown_digest(None, None) == digest_of({})
    assert shown_digest("", None) != shown_digest(None, None)


def test_a_short_digest_is_its_first_128_bits() -> None:
    digest = contract_digest(TOOL)
    assert short(digest) == digest[7:39]


def test_a_tool_without_a_canonical_form_has_no_digest() -> None:
    with pytest.raises(PeerError, match="ambiguous contract"):
        contract_digest({**TOOL, "annotations": {"x": float("nan")}})
    with pytest.raises(PeerError, match="ambiguous contract"):
        meaning_digest({**TOOL, "inputSchema": {"enum": [float("nan")]}})
