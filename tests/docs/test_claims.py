"""What the documents say agrees with the program: links, states, limits, make targets, figures."""

from __future__ import annotations

import re
from typing import Final

import pytest

from docs.pages import PAGES, anchors, links, prose, read
from project.repository import ROOT
from witnessmark.model.health import LIMITS, PRECEDENCE, ROUTES
from witnessmark.render.terminal import CALL_ROWS

pytestmark = pytest.mark.docs

README_LINES: Final = 150
"""Issue 2: what a stranger reads before the first command fits three screens."""

MEASURED: Final = re.compile(r"[\d.,]+ (?:us|ms|MB|bytes an event|(?:events|calls|frames)/s)\b")
"""A figure of a bench, by its unit."""


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    broken = []
    for target in links(page):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        place = (ROOT / page).parent / path if path else ROOT / page
        if not place.exists() or (anchor and anchor not in anchors(place.resolve().relative_to(ROOT).as_posix())):
            broken.append(target)
    assert not broken


def test_links_and_anchors_are_found() -> None:
    assert "docs/limits.md" in links("README.md")
    assert {"exit-codes", "witnessmark-judge", "witnessmark-runs-delete"} <= anchors("docs/commands.md")


def test_every_page_of_docs_is_linked_from_the_readme_or_a_page_that_is() -> None:
    seen: set[str] = set()
    wanted = ["README.md"]
    while wanted:
        page = wanted.pop()
        seen.add(page)
        for target in links(page):
            place = ((ROOT / page).parent / target.partition("#")[0]).resolve()
            if not place.is_relative_to(ROOT):
                continue
            file = place / "README.md" if place.is_dir() else place
            name = file.relative_to(ROOT).as_posix()
            if name.endswith(".md") and name not in seen and file.is_file():
                wanted.append(name)
    assert not set(PAGES) - seen


def test_the_readme_has_at_most_150_lines() -> None:
    assert len(read("README.md").splitlines()) <= README_LINES


def test_the_table_of_states_is_the_one_that_decides() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| ([^|]+) \| (\d) \|$", read("README.md"), re.MULTILINE)
    assert rows == [(state, ROUTES[state].owner, str(ROUTES[state].exit_code)) for state in PRECEDENCE]


def test_the_limits_of_every_verdict_are_on_their_page() -> None:
    assert [limit for limit in LIMITS if f"- {limit}\n" not in read("docs/limits.md")] == []


def test_the_pages_name_how_many_calls_are_listed() -> None:
    from witnessmark.judges.chain import MAX_CALLS_SHOWN

    assert f"| {MAX_CALLS_SHOWN} in JSON, {CALL_ROWS} in text |" in read("docs/limits.md")
    assert re.search(rf"the text shows {CALL_ROWS},.*?JSON has up to {MAX_CALLS_SHOWN}\b", read("docs/commands.md"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_every_make_target_that_a_page_names_is_in_the_makefile(page: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][\w-]*):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:^    |`)make ([a-z][\w-]*)", read(page), re.MULTILINE))
    assert not named - targets


def test_a_test_that_contributing_names_is_there() -> None:
    named = re.findall(r"\btests/[\w/]+\.py\b", read("CONTRIBUTING.md"))
    assert named
    assert not [name for name in named if not (ROOT / name).is_file()]


def test_a_figure_that_the_readme_quotes_stands_on_the_page_that_the_bench_writes() -> None:
    figures = read("docs/performance.md").partition("<!-- figures")[2].partition("<!-- end of figures -->")[0]
    assert MEASURED.search("adds 96 us") is not None
    assert figures
    assert not [figure for figure in MEASURED.findall(prose("README.md")) if figure not in figures]
