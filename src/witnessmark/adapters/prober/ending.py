"""Why a capture ended before it was complete: a closed list of codes, each with a sentence for the reader."""

from __future__ import annotations

from enum import StrEnum


class EndCode(StrEnum):
    """The word at the start of a capture's reason."""

    ENDED = "server-ended"
    UNREACHABLE = "unreachable"
    AUTHORIZATION = "authorization"
    NOT_MCP = "not-mcp"
    VERSION = "version"
    TIME = "time-limit"
    BYTES = "bytes-limit"
    PAGES = "pages-limit"
    TOOLS = "tools-limit"
    EMPTY_PAGES = "empty-pages-limit"
    REPEATED_CURSOR = "repeated-cursor"
    BAD_CURSOR = "cursor-unreadable"
    PAGE_ERROR = "page-error"
    PAGE_UNREADABLE = "page-unreadable"
    DUPLICATE_NAMES = "duplicate-names"
    TORN = "torn"


class ProbeEnded(Exception):
    """The capture cannot become complete: `code`, and `text` in words of ours (no text of the peer's but its standard error's tail)."""

    def __init__(self, code: EndCode, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text

    @property
    def reason(self) -> str:
        """What stands in the capture: `CODE: sentence`."""
        return f"{self.code}: {self.text}"


class ServerGone(ProbeEnded):
    """The server's end of the channel is closed: it ended, or hung up."""


class NoAnswer(ProbeEnded):
    """A time limit of one answer passed, and the capture may still have time left."""
