"""`file`: a file is there, of a size, a content, a shape."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from witnessmark.adapters.asking.files import Absent, OpenFile, opened
from witnessmark.adapters.asking.json_answers import decoded
from witnessmark.adapters.asking.question import Limits, OutcomeAnswer, Question, Unanswered, digest_of
from witnessmark.model.kind_tables import VERIFIERS


class FileVerifier:
    """Passed where every setting holds. A link below the configuration's folder is unknown, not followed."""

    members: Final = VERIFIERS["file"].members
    strength: Final = "deterministic"
    version: Final = "1"

    def verify(self, question: Question, limits: Limits) -> OutcomeAnswer:
        """The answer."""
        settings = question.settings
        wanted = f"sha256:{settings['sha256']}" if "sha256" in settings else ""
        try:
            with opened(settings["path"], question, limits) as file:
                needs_content = "schema" in settings or "contains" in settings
                data = file.read() if needs_content else b""
                found = digest_of(data) if needs_content else self._digest(file) if wanted else ""
                held = settings.get("min_bytes", 0) <= file.size <= settings.get("max_bytes", file.size) and (not wanted or found == wanted)
        except Absent:
            return OutcomeAnswer(status="failed", reason="absent", expected=wanted)
        held = held and settings.get("contains", "").encode() in data
        if held and "schema" in settings:
            held = self._fits(data, question, limits)
        return OutcomeAnswer(status="passed" if held else "failed", reason="" if held else "differs", expected=wanted, found=found)

    @staticmethod
    def _digest(file: OpenFile) -> str:
        whole = sha256()
        file.stream(whole.update)
        return f"sha256:{whole.hexdigest()}"

    @staticmethod
    def _fits(data: bytes, question: Question, limits: Limits) -> bool:
        import jsonschema_rs  # noqa: PLC0415 - loaded on use

        try:
            with opened(question.settings["schema"], question, limits) as file:
                schema = decoded(file.read(), limits.output_bytes)
        except Absent:
            raise Unanswered("bad_setting") from None
        try:
            value = decoded(data, limits.output_bytes)
        except Unanswered:
            return False
        try:
            # Linear patterns: an input cannot stall them.
            checker = jsonschema_rs.validator_for(schema, offline=True, pattern_options=jsonschema_rs.RegexOptions())
            return bool(checker.is_valid(value))
        except (jsonschema_rs.ValidationError, ValueError):
            raise Unanswered("bad_setting") from None


VERIFIER: Final = FileVerifier()
