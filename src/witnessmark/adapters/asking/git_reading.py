"""Reading a git repository that somebody else may have prepared: plumbing only, no hook, no monitor, no filter, no network."""

from __future__ import annotations

import os
import re
import time
from typing import Final

import msgspec

from witnessmark.adapters.asking.processes import Ended, given, run
from witnessmark.adapters.asking.question import Limits, Question, Unanswered

MAX_COMMITS: Final = 10_000
"""Commits of a branch that are looked through for a key."""
_OVERRIDES: Final = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.alternateRefsCommand=",
    "protocol.allow=never", "safe.directory=*",
)  # fmt: skip
_QUIET: Final = {
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_ATTR_NOSYSTEM": "1",
}  # fmt: skip
_COMMIT: Final = re.compile(r"[0-9a-f]{40,64}")


class Repository:
    """One repository, asked by the git binary within the time of one question."""

    def __init__(self, question: Question, limits: Limits) -> None:
        self._folder = os.path.join(question.where.folder, question.settings["repository"])
        self._environment = {**given(question.where.environment), **_QUIET}
        self._limits = limits
        self._until = time.monotonic() + limits.seconds
        if not os.path.isdir(self._folder):
            raise Unanswered("unreachable")

    def commit(self, branch: str) -> str:
        """The commit at the branch's head; Unanswered where there is none."""
        found = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{branch}^{{commit}}")
        name = found.output.decode("ascii", "replace").strip()
        if found.code != 0 or _COMMIT.fullmatch(name) is None:
            raise Unanswered("unreachable")
        return name

    def holds(self, head: str, commit: str) -> bool:
        """Whether `commit` is `head` or before it."""
        if _COMMIT.fullmatch(commit) is None:
            raise Unanswered("bad_value")
        if self._git("cat-file", "-e", f"{commit}^{{commit}}").code != 0:
            return False
        code = self._git("merge-base", "--is-ancestor", commit, head).code
        if code not in {0, 1}:
            raise Unanswered("crashed")
        return code == 0

    def blob(self, commit: str, path: str) -> bytes | None:
        """The file's content in that commit's tree; None where there is none."""
        listed = self._git("--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", path)
        if listed.code != 0:
            raise Unanswered("crashed")
        if not listed.output:
            return None
        mode, kind, name = listed.output.partition(b"\t")[0].decode("ascii").split()
        if kind != "blob" or mode == "120000":
            raise Unanswered("unsafe_path")
        found = self._git("cat-file", "blob", name)
        if found.code != 0:
            raise Unanswered("crashed")
        return found.output

    def trailers(self, head: str, trailer: str, value: str) -> int:
        """How many commits up to `head` say `trailer: value` on a line of their own."""
        found = self._git("rev-list", f"--max-count={MAX_COMMITS + 1}", "--no-commit-header", "--format=%B%x00", head)
        if found.code != 0:
            raise Unanswered("crashed")
        messages = found.output.split(b"\0")[:-1]
        if len(messages) > MAX_COMMITS:
            raise Unanswered("output_limit")
        wanted = f"{trailer}: {value}".encode()
        return sum(1 for message in messages if wanted in (line.rstrip() for line in message.splitlines()))

    def _git(self, *words: str) -> Ended:
        left = self._until - time.monotonic()
        if left <= 0:
            raise Unanswered("time_limit")
        overrides = [word for setting in _OVERRIDES for word in ("-c", setting)]
        limits = msgspec.structs.replace(self._limits, seconds=left)
        return run(["git", *overrides, *words], limits, folder=self._folder, environment=self._environment)
