"""A catalog over stdio is captured whole, or the capture says why it is not; and nothing is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from witnessmark.adapters.child import CommandNotExecutable, CommandNotFound
from witnessmark.adapters.held_values import HeldValues
from witnessmark.adapters.prober import ProbeLimits, capture
from witnessmark.errors import UsageError
from witnessmark.model.capture import Capture, Launch, Profile

PROGRAM = str(Path(__file__).with_name("raw_server.py"))
SHORT = ProbeLimits(answer_s=0.3, start_s=20, discover_s=20)
"""For a server that hangs: what it can answer at all comes at once, and the start of an interpreter keeps its time."""


def launch(behaviour: str, era: str = "legacy", **environment: str) -> Launch:
    return Launch(command=(sys.executable, "-S", "-E", PROGRAM, behaviour, era), environment=tuple(environment.items()))


def captured(
    behaviour: str,
    era: str = "legacy",
    profile: Profile = "bare",
    limits: ProbeLimits | None = None,
    last_version: str = "",
    **environment: Any,
) -> Capture:
    held = HeldValues({f"file:{name}": str(value) for name, value in environment.items()})
    given = {name: f"file:{name}" for name in environment}
    return capture(launch(behaviour, era, **given), "raw", profile, limits or ProbeLimits(), held=held, last_version=last_version)


def names(found: Capture) -> list[str]:
    return [tool["name"] for tool in found.tools]


# --- a whole walk ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("era,version,name", [("legacy", "2025-11-25", "1"), ("modern", "2026-07-28", "2"), ("dual", "2026-07-28", "2")])
def test_the_era_is_found_and_every_page_is_read(era: str, version: str, name: str) -> None:
    found = captured("two_pages", era)
    assert (found.complete, found.reason, found.pages, names(found)) == (True, "", 2, ["first", "second"])
    assert (found.protocol_version, found.server_name, found.server_version) == (version, "raw", name)
    assert (found.server, found.profile, found.instructions) == ("raw", "bare", "Be kind.")
    assert "tools" in found.capabilities


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_version_is_the_one_that_the_server_answers(version: str) -> None:
    assert captured("two_pages", SPEAKS=version).protocol_version == version


def test_a_version_that_nobody_knows_is_no_session() -> None:
    assert captured("two_pages", SPEAKS="1999-01-01").reason.startswith("version: ")


@pytest.mark.parametrize(
    "behaviour,pages,tools",
    [
        ("empty_cursor", 2, ["first", "second"]),
        ("gaps", 10, ["t0", "t3", "t6", "t9"]),
        ("overlapping", 2, ["a", "b", "c"]),
        ("registers_late", 2, ["first", "second"]),
        ("torn_once", 2, ["first", "second"]),
        ("junk", 2, ["first", "second"]),
        ("noisy", 2, ["first", "second"]),
        ("text_id", 1, ["a"]),
        ("unpaired", 1, ["yours"]),
        ("has_no_tools", 0, []),
        ("dies_of_discover", 2, ["first", "second"]),
    ],
)
def test_what_is_odd_and_harmless_does_not_end_a_walk(behaviour: str, pages: int, tools: list[str]) -> None:
    found = captured(behaviour)
    assert (found.complete, found.reason, found.pages, names(found)) == (True, "", pages, tools)


def test_a_signal_by_subscription_tears_a_walk_too() -> None:
    assert captured("torn_once", "modern").complete
    assert captured("torn_always", "modern").reason.startswith("torn: ")


def test_tools_stand_as_they_stood_on_the_wire() -> None:
    assert captured("two_pages").tools[0] == {
        "name": "first",
        "description": "Does it.",
        "inputSchema": {"type": "object", "properties": {"x": {"type": "string"}}},
    }


def test_a_member_that_stands_twice_makes_its_tool_ambiguous_and_no_other() -> None:
    found = captured("repeated_member")
    assert (found.complete, names(found), found.ambiguous) == (True, ["once"], ("twice",))


def test_a_number_that_is_none_makes_its_tool_ambiguous_and_what_has_no_name_is_counted() -> None:
    found = captured("not_a_number")
    assert (found.complete, names(found), found.ambiguous) == (True, ["plain"], ("odd", "#2"))


# --- what is said to the server -----------------------------------------------------------------------------------------


def said(tmp_path: Path, era: str, profile: Profile, last_version: str = "") -> list[dict[str, Any]]:
    record = tmp_path / "record"
    assert captured("records", era, profile, RECORD=record, last_version=last_version).complete
    return [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]


def test_no_tool_is_called_and_nothing_else_is_asked(tmp_path: Path) -> None:
    methods = [message["method"] for message in said(tmp_path, "legacy", "full")]
    assert methods == ["server/discover", "initialize", "notifications/initialized", "tools/list", "tools/list"]


def test_a_server_of_an_era_that_is_known_is_not_asked_for_the_other(tmp_path: Path) -> None:
    methods = [message["method"] for message in said(tmp_path, "legacy", "bare", "2025-06-18")]
    assert methods == ["initialize", "notifications/initialized", "tools/list", "tools/list"]


def test_a_server_that_left_the_old_era_is_found_again() -> None:
    found = captured("two_pages", "modern", last_version="2025-11-25")
    assert (found.complete, found.protocol_version) == (True, "2026-07-28")


def test_profiles_declare_nothing_or_all(tmp_path: Path) -> None:
    bare = said(tmp_path, "legacy", "bare")
    (tmp_path / "record").unlink()
    full = said(tmp_path, "legacy", "full")
    assert bare[1]["params"]["capabilities"] == {}
    assert full[1]["params"]["capabilities"].keys() == {"roots", "sampling", "elicitation"}


def test_every_request_of_the_modern_era_says_who_asks(tmp_path: Path) -> None:
    for message in said(tmp_path, "modern", "full"):
        meta = message["params"]["_meta"]
        assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
        assert meta["io.modelcontextprotocol/clientCapabilities"].keys() == {"roots", "sampling", "elicitation"}
        assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "witnessmark"


def test_the_first_page_is_asked_for_without_a_cursor(tmp_path: Path) -> None:
    lists = [message for message in said(tmp_path, "legacy", "bare") if message["method"] == "tools/list"]
    assert [message["params"] for message in lists] == [{}, {"cursor": "2"}]


@pytest.mark.parametrize(
    "profile,replies",
    [
        ("full", ["{}", '{"roots": []}', -1, '{"action": "decline"}', -32601]),
        ("bare", ["{}", -32601, -32601, -32601, -32601]),
    ],
)
def test_a_server_that_asks_back_is_answered_so_that_nothing_happens(profile: Profile, replies: list[object]) -> None:
    found = [tool["description"] for tool in captured("asks_back", profile=profile).tools if tool["name"].startswith("reply")]
    assert [json.loads(reply).get("code", reply) for reply in found] == replies


# --- what ends a walk ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "behaviour,limits,code,pages",
    [
        ("endless", ProbeLimits(max_pages=30), "pages-limit", 30),
        ("endless", ProbeLimits(max_tools=10), "tools-limit", 11),
        ("endless_empty", ProbeLimits(), "empty-pages-limit", 6),
        ("repeats", ProbeLimits(), "repeated-cursor", 3),
        ("fails", ProbeLimits(), "page-error", 1),
        ("conflicting", ProbeLimits(), "duplicate-names", 2),
        ("number_as_cursor", ProbeLimits(), "cursor-unreadable", 1),
        ("no_tools_member", ProbeLimits(), "page-unreadable", 0),
        ("asks_for_input", ProbeLimits(), "page-unreadable", 0),
        ("torn_always", ProbeLimits(), "torn", 1),
        ("huge", ProbeLimits(), "bytes-limit", 6),
        ("huge_page", ProbeLimits(), "bytes-limit", 0),
        ("flood", ProbeLimits(max_bytes=1 << 20), "bytes-limit", 0),
        ("handshake_refused", ProbeLimits(), "version", 0),
        ("broken_text", ProbeLimits(), "page-unreadable", 0),
        ("too_deep", ProbeLimits(), "page-unreadable", 0),
        ("hangs", SHORT, "time-limit", 0),
        ("drips", SHORT, "time-limit", 0),
        ("drips", ProbeLimits(overall_s=1.0), "time-limit", 0),
        ("dies", ProbeLimits(), "server-ended", 1),
        ("cut", ProbeLimits(), "server-ended", 0),
        ("killed", ProbeLimits(), "server-ended", 0),
        ("cannot_start", ProbeLimits(), "server-ended", 0),
    ],
)
def test_a_walk_that_does_not_end_well_is_incomplete_with_its_reason(behaviour: str, limits: ProbeLimits, code: str, pages: int) -> None:
    found = captured(behaviour, limits=limits)
    assert (found.complete, found.reason.partition(":")[0], found.pages) == (False, code, pages)
    assert found.tools == ()


def test_a_server_that_cannot_start_shows_its_exit_code_and_its_last_words() -> None:
    found = captured("cannot_start")
    assert "with exit code 4" in found.reason
    assert found.reason.endswith("no such database")
    assert len(found.reason) < 2_000


def test_a_server_that_hangs_is_named_with_the_limit_and_its_last_words() -> None:
    assert captured("hangs", limits=SHORT).reason == (
        "time-limit: no answer to tools/list within 0.3 s; its standard error ends: stuck on the database"
    )


def test_a_death_by_signal_is_told() -> None:
    assert "by signal 9" in captured("killed").reason


def test_values_that_were_handed_over_do_not_come_back_in_the_last_words() -> None:
    found = captured("dies", TOKEN="ghp_0123456789abcdef")
    assert "ghp_" not in found.reason
    assert "out of memory, token [removed]" in found.reason


def test_a_server_that_is_silent_about_discovery_is_asked_anew(tmp_path: Path) -> None:
    found = captured("silent_on_discover", limits=ProbeLimits(discover_s=1.0), STARTED=tmp_path / "started")
    assert found.complete
    assert len((tmp_path / "started").read_text(encoding="utf-8").split()) == 2


@pytest.mark.parametrize("behaviour", ["two_pages", "hangs", "dies", "ignores_everything", "flood"])
def test_no_process_is_left_behind(behaviour: str, tmp_path: Path) -> None:
    captured(behaviour, limits=ProbeLimits(answer_s=0.3, max_bytes=1 << 20), STARTED=tmp_path / "started")
    for pid in (tmp_path / "started").read_text(encoding="utf-8").split():
        with pytest.raises(ProcessLookupError):  # a zombie would still be there
            os.kill(int(pid), 0)


def test_what_a_server_started_goes_with_it(tmp_path: Path) -> None:
    assert captured("has_children", CHILD=tmp_path / "child").complete
    assert gone(int((tmp_path / "child").read_text(encoding="utf-8")))


def gone(pid: int) -> bool:
    """Whether a process that is not ours to reap has ended; its new parent may not have reaped it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return not Path("/proc/self").exists() or True


# --- what is no capture at all -------------------------------------------------------------------------------------------


def test_a_command_that_is_not_there_is_an_error() -> None:
    with pytest.raises(CommandNotFound, match="no-such-program-of-anybody: command not found"):
        capture(Launch(command=("no-such-program-of-anybody",)), "raw")


def test_a_file_that_may_not_be_run_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x", encoding="utf-8")
    with pytest.raises(CommandNotExecutable):
        capture(Launch(command=(str(tmp_path / "plain"),)), "raw")


@pytest.mark.parametrize(
    "bad,words",
    [
        (Launch(), "neither a command nor a URL"),
        (Launch(command=("x",), environment=(("TOKEN", "env:NOT_SET_ANYWHERE"),)), "NOT_SET_ANYWHERE, which is not set"),
        (Launch(command=("x",), environment=(("TOKEN", "file:TOKEN"),)), "configuration file only"),
        (Launch(command=("x",), environment=(("TOKEN", "secret-itself"),)), "literal value"),
        (Launch(command=("a\0b",)), "NUL"),
    ],
)
def test_a_launch_that_is_none_is_the_callers_error(bad: Launch, words: str) -> None:
    with pytest.raises(UsageError, match=words) as raised:
        capture(bad, "raw")
    assert "secret-itself" not in str(raised.value)


def test_a_working_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="working directory"):
        capture(Launch(command=(sys.executable,)), "raw", directory=str(tmp_path / "none"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of one process alone is told by Linux")
def test_two_thousand_tools_over_twenty_pages_stay_within_their_memory() -> None:
    program = (
        "from witnessmark.adapters.prober import capture\n"
        "from witnessmark.model.capture import Launch\n"
        f"found = capture(Launch(command={launch('many').command!r}), 'raw')\n"
        "assert (found.complete, len(found.tools), found.pages) == (True, 2000, 20), found.reason\n"
        "print(open('/proc/self/status').read())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    peak_kb = next(int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("VmHWM:"))
    assert peak_kb < 60_000
