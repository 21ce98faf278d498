"""What a client's plain log says of a session: each call and how it was answered. It is what most hosts keep, and no more."""

from __future__ import annotations

from typing import Final

ANSWERED: Final = "answered"


class PlainLog:
    """The lines of such a log, kept as counts: tools listed, calls answered, calls that ended otherwise and how."""

    def __init__(self) -> None:
        self._listed = 0
        self._calls = 0
        self._answered = 0
        self._otherwise: list[str] = []

    def listed(self, tools: int) -> None:
        """Note tools of a page that was read."""
        self._listed += tools

    def called(self) -> None:
        """Note a call that leaves."""
        self._calls += 1

    def ended(self, how: str) -> None:
        """Note how a call ended: ANSWERED, or the words that a log has for something else."""
        if how == ANSWERED:
            self._answered += 1
        else:
            self._otherwise.append(how)

    def said(self) -> str:
        """The log in one sentence, with the word that its reader would give it."""
        waiting = self._calls - self._answered - len(self._otherwise)
        if self._otherwise:
            end = "failed: " + "; ".join(self._otherwise)
        elif waiting:
            end = "no answer yet"
        else:
            end = "all answered, no error" if self._calls != 1 else "answered, no error"
        return f"{_counted(self._listed, 'tool')} listed; {_counted(self._calls, 'call')}, {end}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
