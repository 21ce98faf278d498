"""The documents of the repository as a reader meets them: code blocks, headings and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from project.repository import ROOT

PAGES: Final = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")), *(ROOT / "docs").rglob("*.md"))
)
PROGRAMS: Final = frozenset(
    {"witnessmark", "python", "python3", "pip", "make", "git", "echo", "export", "npm", "npx", "sh", "pytest", "ruff"}
)
"""An indented block outside the README that begins with one of these is meant to be run."""

_FENCE: Final = re.compile(r"^```(\w*)$")
_SYNOPSIS: Final = re.compile(r"\[-|\[[A-Z]|[A-Z]\.\.\.")
"""`[--option]`, `[ARG...]`, `FILE...`: how a command is written, not one that is run."""
_LINK: Final = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A block of code: its page, the line it begins at, the language of its fence ("" for an indented one), its text."""

    page: str
    line: int
    language: str
    text: str

    @property
    def first(self) -> str:
        """The first line, by which a table names the block."""
        return self.text.splitlines()[0].strip()

    @property
    def meant_to_run(self) -> bool:
        """Whether a reader would type it: fenced as `sh` or `console`, in the README, or beginning with a program."""
        if self.language:
            return self.language in {"sh", "console"}
        word = self.first.split()[0].rsplit("/", 1)[-1]
        return self.page == "README.md" or (word in PROGRAMS and _SYNOPSIS.search(self.text) is None)

    @property
    def script(self) -> str:
        """What is typed: of a `console` block the lines after the prompt, without it."""
        if self.language != "console":
            return self.text
        return "".join(f"{line[2:]}\n" for line in self.text.splitlines() if line.startswith("$ "))


def read(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, text: str | None = None) -> Iterator[Block]:
    """Every code block of a page, in its order; `text` instead of the page's own."""
    lines = [*(read(page) if text is None else text).splitlines(), ""]
    number = 0
    while number < len(lines):
        line, start = lines[number], number
        fence = _FENCE.match(line)
        if fence is not None:
            end = lines.index("```", start + 1)
            yield Block(page, start + 2, fence[1] or "text", "".join(f"{body}\n" for body in lines[start + 1 : end]))
            number = end + 1
        elif line.startswith("    ") and (start == 0 or not lines[start - 1]):
            while number < len(lines) and (lines[number].startswith("    ") or not lines[number]):
                number += 1
            body = "\n".join(one.removeprefix("    ") for one in lines[start:number]).rstrip("\n")
            yield Block(page, start + 1, "", body + "\n")
        else:
            number += 1


def prose(page: str) -> str:
    """The page without its code blocks."""
    lines = read(page).splitlines()
    for block in blocks(page):
        for number in range(block.line - 1, block.line - 1 + len(block.text.splitlines())):
            lines[number] = ""
    return "\n".join(lines)


def links(page: str) -> list[str]:
    """The targets of every link of a page, as they are written."""
    return _LINK.findall(prose(page))


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        again = 0
        while (anchor := f"{words}-{again}" if again else words) in found:
            again += 1
        found.add(anchor)
    return found
