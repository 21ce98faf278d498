"""What a plain log says of a session, and never more."""

from __future__ import annotations

import pytest

from witnessmark.adapters.demo.plain_log import ANSWERED, PlainLog


@pytest.mark.parametrize(
    "listed,called,ended,said",
    [
        (0, 0, [], "0 tools listed; 0 calls, all answered, no error"),
        (1, 1, [ANSWERED], "1 tool listed; 1 call, answered, no error"),
        (14, 2, [ANSWERED, ANSWERED], "14 tools listed; 2 calls, all answered, no error"),
        (1, 1, [], "1 tool listed; 1 call, no answer yet"),
        (1, 2, [ANSWERED, "connection closed"], "1 tool listed; 2 calls, failed: connection closed"),
        (1, 2, ["isError"], "1 tool listed; 2 calls, failed: isError"),
    ],
)
def test_a_log_counts_what_was_answered(listed: int, called: int, ended: list[str], said: str) -> None:
    log = PlainLog()
    log.listed(listed)
    for _ in range(called):
        log.called()
    for how in ended:
        log.ended(how)
    assert log.said() == said
