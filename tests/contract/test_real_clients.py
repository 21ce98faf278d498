"""Over what real clients showed a model: discovered tools against the definitions in their requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from witnessmark.contract.digest import contract_digest, meaning_digest
from witnessmark.contract.match import Grade, InstallProjection, match
from witnessmark.contract.names import NameMap
from witnessmark.contract.projection import project
from witnessmark.contract.shown import read_shown

CORPUS = Path(__file__).parents[3] / "shared/corpus"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="third-party catalogs and transcripts are not in this clone"),
]

# Clients that pass description and input schema on unchanged.
LITERAL = ("claude-code", "claude-agent-sdk", "openai-agents", "agent-framework")
# What a client is known to add: here strict mode, which requires every parameter.
STRICT = {"openai-agents-0.24.0": InstallProjection(requires_all=True)}
SERVER = "shiftsrv"


def source_of(definition: dict[str, Any]) -> str:
    """The API whose shape a single logged definition has."""
    if "input_schema" in definition:
        return "anthropic-messages"
    if "function" in definition:
        return "openai-chat"
    return "openai-responses" if "parameters" in definition else "gemini"


def wire_tools(value: Any) -> Iterator[dict[str, Any]]:
    """Every tool in any answer of a server."""
    if isinstance(value, dict):
        if isinstance(value.get("tools"), list):
            yield from (tool for tool in value["tools"] if isinstance(tool, dict) and "inputSchema" in tool)
        for name, member in value.items():
            if name != "installed":
                yield from wire_tools(member)
    elif isinstance(value, list):
        for item in value:
            yield from wire_tools(item)


@pytest.mark.parametrize("path", sorted(CORPUS.glob("projections/*.json")), ids=lambda path: path.stem)
def test_every_recorded_rewrite_is_named_back_and_graded(path: Path) -> None:
    pairs = [pair for pair in json.loads(path.read_text(encoding="utf-8"))["pairs"] if pair.get("installed")]
    names = NameMap([pair["discovered"]["name"] for pair in pairs], SERVER)
    grades = set()
    for pair in pairs:
        installed = pair["installed"]
        (shown,) = read_shown(source_of(installed["definition"]), [installed["definition"]]).definitions
        full_name = f"{installed['namespace']}.{shown.name}" if "namespace" in installed else shown.name
        assert names.wire_name(full_name) == pair["discovered"]["name"]
        grades.add(match(shown, pair["discovered"]).grade)
    assert grades == {Grade.EXACT} if path.stem.startswith(LITERAL) else grades <= {Grade.EXACT, Grade.CORE}
    assert pairs


@pytest.mark.parametrize("folder", sorted(CORPUS.glob("transcripts/*")), ids=lambda path: path.name)
def test_every_shown_tool_of_a_transcript_is_of_exactly_one_generation(folder: Path) -> None:
    additions = STRICT.get(folder.name, InstallProjection())
    for path in sorted(folder.glob("*.jsonl")):
        frames = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        generations: dict[str, dict[str, dict[str, Any]]] = {}
        for tool in wire_tools(frames):
            generations.setdefault(tool["name"], {})[contract_digest(tool)] = tool
        names = NameMap(generations, SERVER)
        for frame in frames:
            installed = frame.get("installed") or {}
            read = read_shown(installed.get("source", ""), installed.get("tools", []))
            assert read.unread == 0
            wires = names.wire_names([shown.name for shown in read.definitions])
            assert wires == {shown.name: installed["names"][shown.name] for shown in read.definitions}
            for shown in read.definitions:
                agreeing = [
                    tool
                    for tool in generations[wires[shown.name] or ""].values()
                    if match(shown, tool, additions).grade is not Grade.DIFFERENT
                ]
                assert len(agreeing) == 1, (path.name, shown.name)


@pytest.mark.parametrize("folder", sorted(CORPUS.glob("catalogs/[!l]*")), ids=lambda path: path.name)
def test_every_captured_tool_has_a_contract_that_the_library_confirms(folder: Path) -> None:
    seen = 0
    for path in sorted(folder.glob("*.json")):
        for tool in json.loads(path.read_text(encoding="utf-8"))["tools"]:
            seen += 1
            assert contract_digest(tool) == "sha256:" + sha256(rfc8785.dumps(project(tool))).hexdigest()
            meaning_digest(tool)
    assert seen
