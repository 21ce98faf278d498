"""The list of reasons is closed: judges use its words only, and it has no word that nobody uses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import witnessmark.judges
import witnessmark.state
from witnessmark.model.health import LAYERS
from witnessmark.model.reasons import REASONS

CAMEL = re.compile(r"[A-Z][a-z]+(?:[A-Z][a-z]+)*")
NOT_REASONS = frozenset({"JunkLine"})
"""The name of a finding of the wire, which is only counted."""


def sources() -> Iterator[ast.Module]:
    for package in (witnessmark.judges, witnessmark.state):
        for path in sorted(Path(package.__path__[0]).glob("*.py")):
            yield ast.parse(path.read_text(encoding="utf-8"), str(path))


def words() -> set[str]:
    """Every CamelCase word that is a text in the code of judges and state, but for the types of claims."""
    found: set[str] = set()
    for tree in sources():
        claims = {
            id(node.args[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Claim" and node.args
        }
        found |= {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and CAMEL.fullmatch(node.value) and id(node) not in claims
        }
    return found - NOT_REASONS


def test_every_reason_that_a_judge_gives_is_in_the_list() -> None:
    assert words() - set(REASONS) == set()


def test_every_reason_in_the_list_is_given_by_a_judge() -> None:
    assert set(REASONS) - words() == set()


def test_every_reason_has_a_layer_a_meaning_and_an_action() -> None:
    for word, reason in REASONS.items():
        assert CAMEL.fullmatch(word), word
        assert reason.layer in LAYERS, word
        assert reason.meaning, word
        assert reason.action, word
