"""Generated pages say what their tables say today (`make docs` writes them)."""

from __future__ import annotations

import difflib
import importlib

import pytest

from project.repository import PACKAGE, ROOT

PAGES = sorted(path.stem.removesuffix("_page") for path in (PACKAGE / "render").glob("*_page.py"))


@pytest.mark.docs
@pytest.mark.parametrize("name", PAGES)
def test_a_generated_page_is_fresh(name: str) -> None:
    written = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").splitlines()
    made = importlib.import_module(f"witnessmark.render.{name}_page").page().splitlines()
    assert written == made, "\n".join(["run make docs", *difflib.unified_diff(written, made, "docs", "table", lineterm="", n=0)])


@pytest.mark.docs
def test_every_rule_has_its_page_and_no_other_has_one() -> None:
    from witnessmark.render.rules_page import pages

    written = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "rules").glob("*.md")}
    assert written == pages(), "run make docs"
