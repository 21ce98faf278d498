from __future__ import annotations

import os
from hashlib import sha256
from typing import Any

import pytest

from asking_scene import SOON, Scene


def test_a_file_is_there_or_not_and_is_what_it_must_be(scene: Scene) -> None:
    (scene.folder / "out").mkdir()
    (scene.folder / "out/w48.txt").write_text('{"total": 3}')
    (scene.folder / "schema.json").write_text('{"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}')
    (scene.folder / "strict.json").write_text('{"required": ["other"]}')
    digest = sha256(b'{"total": 3}').hexdigest()
    path = "out/{slug}.txt"
    cases: list[tuple[dict[str, Any], tuple[str, str]]] = [
        ({}, ("passed", "")),
        ({"sha256": digest}, ("passed", "")),
        ({"sha256": "0" * 64}, ("failed", "differs")),
        ({"min_bytes": 12, "max_bytes": 12}, ("passed", "")),
        ({"min_bytes": 13}, ("failed", "differs")),
        ({"contains": "total"}, ("passed", "")),
        ({"contains": "t.tal"}, ("failed", "differs")),
        ({"schema": "schema.json"}, ("passed", "")),
        ({"schema": "strict.json"}, ("failed", "differs")),
        ({"schema": "nowhere.json"}, ("error", "bad_setting")),
    ]
    for settings, expected in cases:
        assert scene.verify("file", values={"slug": "w48"}, path=path, **settings) == expected, settings
    assert scene.verify("file", values={"slug": "w49"}, path=path) == ("failed", "absent")
    assert scene.ask("file", values={"slug": "w48"}, path=path) == ("applied", None, "")
    assert scene.ask("file", values={"slug": "w49"}, path=path) == ("absent", None, "")


@pytest.mark.parametrize("slug", ["../secret", "..", ".", "a/b", "a\\b", "a\0b", "a\nb", "", "x" * 300, "x" * 5000, ["a"], None])
def test_a_value_cannot_leave_its_component(scene: Scene, slug: object) -> None:
    (scene.folder / "secret").write_text("x")
    (scene.folder / "out").mkdir()
    status, _, reason = scene.ask("file", values={"slug": slug}, path="out/{slug}")
    assert (status, reason in {"unsafe_path", "bad_value"}) == ("unknown", True)


def test_two_values_cannot_build_a_way_up_together(scene: Scene) -> None:
    assert scene.ask("file", values={"a": ".", "b": "."}, path="out/{a}{b}/x")[0] == "unknown"


def test_a_link_a_folder_and_a_pipe_are_no_file(scene: Scene) -> None:
    (scene.folder / "real").mkdir()
    (scene.folder / "real/x").write_text("x")
    (scene.folder / "link").symlink_to("real")
    (scene.folder / "leaf").symlink_to("real/x")
    os.mkfifo(scene.folder / "pipe")
    for path in ("link/x", "leaf", "real", "pipe", "real/x/y"):
        assert scene.ask("file", path=path) == ("unknown", None, "unsafe_path"), path


def test_a_file_beyond_the_limit_is_unknown(scene: Scene) -> None:
    with (scene.folder / "big").open("wb") as file:
        file.truncate(1 << 30)
    assert scene.verify("file", SOON, path="big", contains="x") == ("error", "output_limit")


def test_the_receipt_names_digests_and_no_value(scene: Scene) -> None:
    (scene.folder / "canary-7f3a").write_text("canary-content")
    receipt = scene.receipt("file", values={"slug": "canary-7f3a"}, path="{slug}", sha256="0" * 64)
    assert (receipt.verifier, receipt.version, receipt.strength, receipt.visibility) == ("file", "1", "deterministic", "private")
    same = scene.receipt("file", values={"slug": "canary-7f3a"}, path="{slug}", sha256=sha256(b"canary-content").hexdigest())
    assert receipt.found == same.found == same.expected != receipt.expected
    assert receipt.found.startswith("k1:")
    assert receipt.digest.startswith("sha256:")
    assert receipt.duration_ms is not None
    assert "canary" not in repr(receipt)
