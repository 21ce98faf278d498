"""`junit`: a test report that is not older than the run: enough tests ran, the named ones passed, none failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from xml.parsers import expat

from witnessmark.adapters.asking.files import Absent, opened
from witnessmark.adapters.asking.question import Limits, OutcomeAnswer, Question, Unanswered, digest_of
from witnessmark.model.kind_tables import VERIFIERS


class Report:
    """What a report says, counted while it is read. No entity, no document type."""

    def __init__(self, data: bytes) -> None:
        self.ran = 0
        self.bad = 0
        self.passed: set[str] = set()
        self._open: tuple[str, str] | None = None
        self._outcome = ""
        self._root = ""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._doctype
        try:
            parser.Parse(data, True)  # noqa: FBT003 - the parser's own interface
        except expat.ExpatError:
            raise Unanswered("not_understood") from None
        if self._root not in {"testsuite", "testsuites"}:
            raise Unanswered("not_understood")

    def _doctype(self, *_words: object) -> None:
        raise Unanswered("not_understood")

    def _start(self, name: str, fields: Mapping[str, str]) -> None:
        self._root = self._root or name
        if name == "testcase":
            self._open = (fields.get("classname", ""), fields.get("name", ""))
            self._outcome = ""
        elif name in {"failure", "error"}:
            self._outcome = "bad"
            self.bad += self._open is None  # an error of the suite itself
        elif name == "skipped":
            self._outcome = self._outcome or "skipped"

    def _end(self, name: str) -> None:
        if name != "testcase" or self._open is None:
            return
        classname, test = self._open
        self._open = None
        self.ran += self._outcome != "skipped"
        self.bad += self._outcome == "bad"
        if not self._outcome:
            self.passed |= {test, f"{classname}.{test}"}


class JunitVerifier:
    """A report without a single test that ran is no answer, never a pass."""

    members: Final = VERIFIERS["junit"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def verify(self, question: Question, limits: Limits) -> OutcomeAnswer:
        """The answer."""
        settings = question.settings
        try:
            with opened(settings["path"], question, limits) as file:
                if file.changed_us < question.where.run_began_us:
                    raise Unanswered("too_old")
                data = file.read()
        except Absent:
            return OutcomeAnswer(status="failed", reason="absent")
        report, found = Report(data), digest_of(data)
        if not report.ran:
            raise Unanswered("nothing_checked")
        enough = report.ran >= settings.get("tests", 1) and set(settings.get("names", ())) <= report.passed
        held = enough and not report.bad
        return OutcomeAnswer(status="passed" if held else "failed", reason="" if held else "differs", found=found)


VERIFIER: Final = JunitVerifier()
