"""No secret of a known shape gets into a lockfile, and a change behind a placeholder stays a change."""

from __future__ import annotations

from typing import Any

import pytest

from witnessmark.contract.approving import redacted, redacted_launch
from witnessmark.contract.redaction import MAX_PATTERNS, Redaction, rule_set
from witnessmark.errors import UsageError
from witnessmark.model.capture import Capture, Launch

RULES = rule_set()
REDACTION = Redaction(RULES, "salt")

SECRETS = {
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEabc+/=\n-----END RSA PRIVATE KEY-----",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123",
    "aws-key": "AKIAABCDEFGHIJKLMNOP",
    "github-token": "ghp_" + "a1B2" * 9,
    "slack-token": "xoxb-123456789012-abcdefABCDEF",
    "model-api-key": "sk-proj-abcdefghijklmnopqrstuv",
    "google-key": "AIza" + "b" * 35,
}


@pytest.mark.parametrize("detector,secret", SECRETS.items())
@pytest.mark.parametrize("frame", ["{}", "use {} here", "key={}", '"{}",'])
def test_a_secret_of_a_known_shape_is_replaced(detector: str, secret: str, frame: str) -> None:
    found: dict[str, int] = {}
    text = REDACTION.text(frame.format(secret), found)
    assert secret not in text
    assert detector in found


@pytest.mark.parametrize(
    "text,kept,gone",
    [
        ("Authorization: Bearer abcdefghijklmnop1234", "Bearer", "abcdefghijklmnop1234"),
        ("postgres://bob:hunter2@db.example.org/x", "@db.example.org/x", "hunter2"),
        ('api_key = "abcdef123456789"', "api_key", "abcdef123456789"),
        ("see https://wiki.internal/page/7 for more", " for more", "wiki.internal"),
        ("see http://10.1.2.3:8080/x", "http://", "10.1.2.3"),
        ("/home/alice/data", "/data", "alice"),
        ("C:\\Users\\alice\\data", "\\data", "alice"),
        ("/Users/alice/data", "/Users/", "alice"),
    ],
)
def test_only_what_is_private_is_replaced(text: str, kept: str, gone: str) -> None:
    clean = REDACTION.text(text)
    assert kept in clean
    assert gone not in clean


@pytest.mark.parametrize(
    "text",
    ["", "Finds tickets.", "see https://example.org/a", "the token of a user", "1.2.3.4", "a task-force", "password: required", "/home"],
)
def test_ordinary_text_stays(text: str) -> None:
    assert REDACTION.text(text) == text


def test_every_text_of_a_tool_is_looked_at_but_names() -> None:
    secret = SECRETS["github-token"]
    tool: dict[str, Any] = {
        "name": "t",
        "title": secret,
        "description": secret,
        "inputSchema": {"properties": {"a": {"default": secret, "examples": [secret], "enum": [secret], "pattern": secret}}},
    }
    clean = REDACTION.tool(tool)
    assert secret not in str(clean.value)
    assert clean.found == {"github-token": 6}
    assert clean.value["name"] == "t"


def test_another_value_has_another_placeholder_and_another_salt_too() -> None:
    one, other = "ghp_" + "a1B2" * 9, "ghp_" + "c3D4" * 9
    assert REDACTION.text(one) == REDACTION.text(one) != REDACTION.text(other)
    assert REDACTION.text(one) != Redaction(RULES, "other").text(one)


@pytest.mark.parametrize("text", [*SECRETS.values(), "/home/alice/x", "https://a.internal/x?y", "api_key=abcdef123456789"])
def test_redacting_again_changes_nothing(text: str) -> None:
    once = REDACTION.text(text)
    assert REDACTION.text(once) == once


def test_the_rule_set_has_a_digest_that_names_it() -> None:
    assert rule_set().digest == RULES.digest != rule_set(["acct-[0-9]+"]).digest


@pytest.mark.parametrize("patterns", [["("], ["x" * 513], ["x"] * (MAX_PATTERNS + 1)])
def test_a_pattern_that_cannot_be_used_is_an_error(patterns: list[str]) -> None:
    with pytest.raises(UsageError) as failed:
        rule_set(patterns)
    assert failed.value.hint


def test_of_a_launch_no_secret_and_no_reference_is_kept_and_a_home_is_everybodys() -> None:
    def launch(user: str) -> Launch:
        return Launch(command=(f"/home/{user}/bin/serve", "--key", SECRETS["aws-key"]), environment=(("B", "file:B"), ("A", "env:A")))

    kept = redacted_launch(launch("alice"), REDACTION)
    assert kept == redacted_launch(launch("bob"), REDACTION)
    assert kept.environment == (("A", ""), ("B", ""))
    assert SECRETS["aws-key"] not in str(kept)


def test_what_was_found_is_told_by_tool_detector_and_count() -> None:
    secret = SECRETS["github-token"]
    found = redacted(Capture(server="s", tools=({"name": "a", "description": f"{secret} {secret}"},), instructions=secret), REDACTION)
    assert found.secrets == (("a", "github-token", 2), ("", "github-token", 1))


@pytest.mark.parametrize(
    "text", [*SECRETS.values(), "BEARER abcdefghijklmnop1234", "SECRET: abcdef1234567", "D:\\Users\\bob", "HTTP://a:bcd@h"]
)
def test_the_quick_look_misses_nothing_that_the_pattern_finds(text: str) -> None:
    slow = RULES._replace(detectors=tuple(each._replace(needs=()) for each in RULES.detectors))
    assert Redaction(slow, "salt").text(text) == REDACTION.text(text) != text
