"""The published schema of `witnessmark.toml` is fresh, and takes and refuses what the program does."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import jsonschema_rs
import pytest

from docs.pages import PAGES, blocks
from project.repository import ROOT
from witnessmark.model.declaring import read_declarations
from witnessmark.render.configuration_schema import text

pytestmark = pytest.mark.docs

EXAMPLES = [
    (block.page, block.line, block.text)
    for page in PAGES
    for block in blocks(page)
    if re.search(r"^\[(servers|tools|destinations|tasks)\.", block.text, re.MULTILINE)
]
TOOL = '[tools."files/x"]\n'


def validator() -> Any:
    return jsonschema_rs.Draft202012Validator(json.loads(text()), offline=True)


def test_the_published_schema_is_the_one_of_the_tables() -> None:
    assert (ROOT / "docs" / "configuration.schema.json").read_text(encoding="utf-8") == text(), "run make docs"


def test_the_schema_is_one() -> None:
    assert jsonschema_rs.meta.is_valid(json.loads(text()))


@pytest.mark.parametrize("page,line,example", EXAMPLES)
def test_every_example_of_the_documents_is_taken_by_schema_and_reader(page: str, line: int, example: str) -> None:
    document = tomllib.loads(example)
    assert not [error.message for error in validator().iter_errors(document)]
    assert read_declarations(document)[1] == []


def test_there_are_examples() -> None:
    assert {"docs/configuration.md", "docs/howto/servers.md"} <= {page for page, _, _ in EXAMPLES}


@pytest.mark.parametrize(
    "example",
    [
        TOOL + 'effects = "read"',
        TOOL + 'effect = "reads"',
        TOOL + 'absolute = "10 minutes"',
        TOOL + "inactivity = 0",
        TOOL + 'operation_key = "key"',
        TOOL + 'trust_hints = "yes"',
        TOOL + "destination = 3",
        "[tools]\nx = {}",
        "[destinations.d]",
        '[destinations.d]\nkind = "file"',
        '[destinations.d]\nkind = "file"\npath = "x"\nmode = 3',
        '[tasks.t]\noutcomes = [{ name = "a" }]',
        '[tasks.t]\noutcomes = [{ name = "a", verify = { kind = "file", path = "x", sha256 = "12" } }]',
        "[policy]\nmax_ages = 3",
        '[policy]\ninactivity = "long"',
        "[gates]",
        "redact = 3",
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(example: str) -> None:
    document = tomllib.loads(example)
    assert not validator().is_valid(document)
    known = document.keys() <= {"tools", "destinations", "tasks", "policy"}
    assert bool(read_declarations(document)[1]) is known
