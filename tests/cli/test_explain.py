"""`witnessmark explain` tells what a kind means, for every kind that a difference may have."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from witnessmark.cli.main import cli
from witnessmark.render.explanation import kinds


def says(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli, ["explain", *words])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("kind", ["param-renamed-open", "PARAM_RENAMED_OPEN", "launch-changed"])
def test_a_kind_is_explained_by_its_record(kind: str) -> None:
    code, out, _ = says(kind)
    rule = kinds()[kind.lower().replace("_", "-")]
    assert code == 0
    assert out.startswith(f"{rule.kind}: {rule.name}\n")
    assert rule.doc.means in out
    assert rule.doc.do in out
    assert rule.action in out


def test_every_kind_is_listed() -> None:
    _, out, _ = says()
    assert all(f"{kind} " in out for kind in kinds())
    assert len(out.splitlines()) == len(kinds()) + 1


def test_json_has_the_same_members() -> None:
    document = json.loads(says("tool-added", "--format", "json")[1])
    assert (document["witnessmark"], document["kind"], document["model_told"]) == ("rule/1", "tool-added", "escalated")


@pytest.mark.parametrize(
    "given,suggested", [("param-renamed", "param-renamed-open"), ("tool-aded", "tool-added"), ("launch", "launch-changed")]
)
def test_near_names_are_suggested(given: str, suggested: str) -> None:
    code, _, err = says(given)
    assert code == 2
    assert suggested in err


def test_a_word_like_no_kind_is_told_where_to_look() -> None:
    code, _, err = says("zzzzzz")
    assert code == 2
    assert "`witnessmark explain` lists all" in err
