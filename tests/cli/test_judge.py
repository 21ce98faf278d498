"""`judge`: verdicts of files, exit codes, instants, and what is said of input that cannot be judged."""

from __future__ import annotations

import errno
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from stored_evidence import HEALTHY, write_run
from witnessmark.cli.main import cli
from witnessmark.cli.options import worst_exit

CASES = Path(__file__).parent.parent / "data" / "cases"
GOOD = CASES / "health" / "1-healthy-export.jsonl"
BAD = CASES / "health" / "9-success-without-deliverable.jsonl"
UNPROVED = CASES / "health" / "no-verifier-is-unproven.jsonl"
HEADER = '{"witnessmark": "transcript/1", "transport": "stdio", "server": "tickets", "client": "c"}\n'


def run(*words: object, input: str | bytes | None = None, **environment: str) -> Result:  # noqa: A002 - click's own word
    return CliRunner(env=environment).invoke(cli, [str(word) for word in words], input=input)


def case_of(transcript: Path) -> tuple[dict[str, Any], list[str]]:
    """What is expected of a case, and the words that say as of when."""
    case: dict[str, Any] = json.loads((transcript.parent / f"{transcript.stem}.expect.json").read_text())
    return case, [] if case.get("as_of") is None else ["--as-of", str(case["as_of"])]


@pytest.mark.parametrize("transcript", sorted(CASES.glob("*/*.jsonl")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_command_gives_each_case_its_verdict(transcript: Path) -> None:
    case, as_of = case_of(transcript)
    done = run("judge", transcript, *as_of, "--format", "json")
    verdict = json.loads(done.stdout)
    assert verdict["exit"] == done.exit_code
    if "state" in case:
        assert (verdict["state"], done.exit_code) == (case["state"], case["exit"])
    for server, members in case.get("catalogs", {}).items():
        assert members.items() <= verdict["catalogs"][server].items()


def test_several_files_are_an_array_with_the_worst_exit_code() -> None:
    done = run("judge", GOOD, UNPROVED, "--format", "json")
    documents = json.loads(done.stdout)
    assert [(one["source"], one["state"]) for one in documents] == [(str(GOOD), "healthy"), (str(UNPROVED), "unproven")]
    assert done.exit_code == 3


@pytest.mark.parametrize("codes", list(itertools.permutations((0, 1, 2, 3, 4))))
def test_the_worst_of_several_is_unreadable_then_bad_then_unproved_then_working(codes: tuple[int, ...]) -> None:
    order = [2, 1, 3, 4, 0]
    for length in range(1, 6):
        assert worst_exit(codes[:length]) == next(code for code in order if code in codes[:length])


def test_one_unreadable_file_leaves_the_others_judged(tmp_path: Path) -> None:
    done = run("judge", tmp_path / "none.jsonl", BAD, "--format", "json")
    assert done.exit_code == 2
    assert [one["state"] for one in json.loads(done.stdout)] == ["false_success"]
    assert "there is no such file" in done.stderr


def test_standard_input_is_judged() -> None:
    done = run("judge", "-", input=GOOD.read_text())
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("healthy  -\n")


def test_an_exported_run_is_judged_as_the_stored_one(tmp_path: Path) -> None:
    store = tmp_path / "e.sqlite"
    write_run(store, "r")
    log = tmp_path / "log.jsonl"
    log.write_text(run("export", "r", "--store", store).stdout)
    stored = json.loads(run("judge", "--run", "r", "--store", store, "--format", "json").stdout)
    for exported in (run("judge", log, "--format", "json"), run("judge", "-", "--format", "json", input=log.read_text())):
        document = json.loads(exported.stdout)
        assert (document["state"], exported.exit_code) == ("healthy", 0)
        # The export attests each session in a session of its own, so that a missing one shows.
        assert (document["counts"].pop("events"), stored["counts"]["events"]) == (18, 16)
        assert document["vantage"] == ["export", *stored["vantage"]]
        told_apart = ("source", "vantage", "counts")
        assert {k: v for k, v in document.items() if k not in told_apart} == {k: v for k, v in stored.items() if k not in told_apart}


# --- instants --------------------------------------------------------------------------------------------------------


def test_evidence_after_the_instant_is_refused_with_its_line() -> None:
    done = run("judge", GOOD, "--as-of", "0.1")
    assert done.exit_code == 2
    assert f"{GOOD}:12: was seen after the instant of --as-of" in done.stderr
    assert "--cut" in done.stderr
    assert done.stdout == ""


def test_cut_judges_what_was_known_then() -> None:
    done = run("judge", GOOD, "--as-of", "0.1", "--cut", "--format", "json")
    document = json.loads(done.stdout)
    assert document["state"] == "unproven"
    assert document["as_of_seconds"] == 0.1
    assert "effect_unproved" in {reason["code"] for reason in document["reasons"]}


@pytest.mark.parametrize("as_of", ["2026-09-21T14:13:40Z", "20", "1790000020", "2026-09-21T16:13:40.000000+02:00"])
def test_an_absolute_instant_can_be_said_in_several_ways(tmp_path: Path, as_of: str) -> None:
    store = tmp_path / "e.sqlite"
    write_run(store, "r", closed=False)
    log = tmp_path / "log.jsonl"
    log.write_text(run("export", "r", "--store", store).stdout)
    for judged in ((log,), ("--run", "r", "--store", store)):
        document = json.loads(run("judge", *judged, "--as-of", as_of, "--format", "json").stdout)
        assert document["as_of"] == "2026-09-21T14:13:40.000000Z"


@pytest.mark.parametrize("as_of", ["9999999999", "99999999", "2999-01-01T00:00:00Z"])
def test_seconds_into_the_future_are_refused_like_a_time_there(tmp_path: Path, as_of: str) -> None:
    store = tmp_path / "e.sqlite"
    write_run(store, "r", start_us=time.time_ns() // 1000 - 10_000_000)
    log = tmp_path / "log.jsonl"
    log.write_text(run("export", "r", "--store", store).stdout)
    for command in (("judge", log), ("judge", "--run", "r", "--store", store), ("show", "r", "--store", store)):
        done = run(*command, "--as-of", as_of)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "is in the future" in done.stderr


@pytest.mark.parametrize(
    "as_of,words",
    [
        ("yesterday", "'yesterday' is no instant"),
        ("2026-01-01", "is no instant"),
        ("2026-01-01T00:00:00", "RFC 3339 time with zone"),
        ("nan", "is no instant"),
        ("2999-01-01T00:00:00Z", "is in the future"),
        ("2026-01-01T00:00:00Z", "give --as-of in seconds"),
    ],
)
def test_an_instant_that_cannot_be_meant_is_refused(as_of: str, words: str) -> None:
    done = run("judge", GOOD, "--as-of", as_of)
    assert done.exit_code == 2
    assert words in done.stderr


def test_a_live_run_is_judged_as_of_now_and_again_as_of_then(tmp_path: Path) -> None:
    store = tmp_path / "e.sqlite"
    write_run(store, "r", facts=HEALTHY[:10], closed=False, start_us=time.time_ns() // 1000 - 10_000_000)
    live = json.loads(run("judge", "--run", "r", "--store", store, "--format", "json").stdout)
    assert live["state"] == "working"
    again = json.loads(run("judge", "--run", "r", "--store", store, "--as-of", live["as_of"], "--format", "json").stdout)
    assert {**again, "layers": None} == {**live, "layers": None}
    assert again["layers"].keys() == live["layers"].keys()
    assert [layer["status"] for layer in again["layers"].values()] == [layer["status"] for layer in live["layers"].values()]


def test_a_stored_run_that_was_cut_off_does_not_stay_working(tmp_path: Path) -> None:
    store = tmp_path / "e.sqlite"
    write_run(store, "r", facts=HEALTHY[:10], closed=False)
    document = json.loads(run("judge", "--run", "r", "--store", store, "--format", "json").stdout)
    assert document["state"] == "effect_unknown"


def test_a_run_is_not_judged_before_its_newest_event_unless_it_is_cut(tmp_path: Path) -> None:
    store = tmp_path / "e.sqlite"
    write_run(store, "r")
    done = run("judge", "--run", "r", "--store", store, "--as-of", "10.5")
    assert done.exit_code == 2
    assert "r-s1/11" in done.stderr
    assert (
        json.loads(run("judge", "--run", "r", "--store", store, "--as-of", "10.5", "--cut", "--format", "json").stdout)["state"]
        == "unproven"
    )
    working = run("judge", "--run", "r", "--store", store, "--as-of", "9.5", "--cut", "--format", "json")
    assert (working.exit_code, json.loads(working.stdout)["state"]) == (4, "working")


# --- input that cannot be judged -------------------------------------------------------------------------------------


def frame(at: object, sender: str, **members: object) -> str:
    return json.dumps({"at": at, "from": sender, **members}) + "\n"


def initialize(at: float, request: int) -> str:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    asked = frame(at, "client", message={"jsonrpc": "2.0", "id": request, "method": "initialize", "params": params})
    return asked + frame(at, "server", message={"jsonrpc": "2.0", "id": request, "result": result})


UNREADABLE: dict[str, tuple[bytes, str, str]] = {
    "an empty file": (b"", "is empty", "line 1 must be"),
    "an empty first line": (b"\n\n", ":1: begins with an empty line", "line 1 must be"),
    "a binary file": (b"\x7fELF\x00\x00\n", ":1: is no text", "line 1 must be"),
    "text": (b"hello\n", ":1: is not JSON", "line 1 must be"),
    "another JSON file": (b'{"tools": []}\n', ":1: is JSON, but no header", "line 1 must be"),
    "a JSON array": (b"[1]\n", ":1: is JSON, but no header", "line 1 must be"),
    "not UTF-8": (b'{"witnessmark": "\xff"}\n', ":1: is not JSON", "line 1 must be"),
    "another format of ours": (b'{"witnessmark": "verdict/1"}\n', ":1: not a transcript header", "first line must be"),
    "a later transcript version": (b'{"witnessmark": "transcript/2"}\n', ":1: unknown transcript version 'transcript/2'", "transcript/1"),
    "a later CloudEvents version": (b'{"specversion": "2.0"}\n', ":1: CloudEvents version '2.0'", "expected specversion '1.0'"),
    "two sessions in one channel": (
        (HEADER + initialize(0, 1) + initialize(1, 2)).encode(), ":5: two sessions in one channel", "channel of its own"
    ),
    "times of two kinds": (
        (HEADER + frame(0, "operator", close=True) + frame("2026-01-01T00:00:00Z", "operator", close=True)).encode(),
        ":3: times of two kinds", "RFC 3339",
    ),
    "a future time": (
        (HEADER + frame("2999-01-01T00:00:00Z", "operator", close=True)).encode(), ":2: was seen in the future", "clock"
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_judged_names_place_expectation_and_remedy(tmp_path: Path, what: str) -> None:
    data, words, hint = UNREADABLE[what]
    file = tmp_path / "input.jsonl"
    file.write_bytes(data)
    done = run("judge", file)
    assert done.exit_code == 2
    message, advice = done.stderr.splitlines()
    assert message.startswith(f"witnessmark: error: {file}")
    assert words in message
    assert advice.startswith("hint: ")
    assert hint in advice
    assert done.stdout == ""
    assert file.read_bytes() == data


def test_a_directory_and_a_missing_file_are_named(tmp_path: Path) -> None:
    assert "is a directory" in run("judge", tmp_path).stderr
    assert "there is no such file" in run("judge", tmp_path / "none").stderr
    assert run("judge", tmp_path).exit_code == 2


@pytest.mark.parametrize(
    "number,words", [(errno.EACCES, "may not be read"), (errno.EPERM, "may not be read"), (errno.EIO, "cannot be read: Input/output error")]
)
def test_what_the_world_refuses_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str) -> None:
    """Injected where the file is opened: the superuser, who runs some suites, may read everything."""

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "open", refuse)
    done = run("judge", tmp_path / "secret.jsonl")
    assert done.exit_code == 2
    assert words in done.stderr
    assert "hint: " in done.stderr


POLICIES: dict[str, tuple[str, str]] = {
    "an unknown member": ("max_aeg = 3\n", "policy.toml: max_aeg: unknown member of a policy"),
    "an unknown unit": ('max_age = "5 weeks"\n', "policy.toml: max_age: '5 weeks' is no duration"),
    "a negative duration": ("max_age = -3\n", "policy.toml: max_age: -3 is no duration"),
    "a member given twice": ('max_age = "5m"\nmax_age_s = 3\n', "given twice"),
    "a wrong type": ('trusted_servers = "all"\n', "Expected `array`, got `str` - at `$.trusted_servers`"),
    "no TOML": ("max_age = = 3\n", "is not TOML: Invalid value (at line 1"),
}


@pytest.mark.parametrize("what", POLICIES)
def test_a_policy_that_is_none_names_its_member(tmp_path: Path, what: str) -> None:
    text, words = POLICIES[what]
    file = tmp_path / "policy.toml"
    file.write_text(text)
    done = run("judge", GOOD, "--policy", file)
    assert done.exit_code == 2
    assert words in done.stderr
    assert "hint: " in done.stderr
    assert "Traceback" not in done.output


def test_a_policy_of_other_bytes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_bytes(b"max_age = '\xff'")
    assert "is not UTF-8 at byte 11" in run("judge", GOOD, "--policy", file).stderr
    file.write_bytes(b"#" * (1 << 20) + b"\n")
    assert "has more than 1 MiB" in run("judge", GOOD, "--policy", file).stderr


def test_the_policy_decides_and_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text('absolute = "2m"\ninstalled_witness = "observed"\n')
    document = json.loads(run("judge", GOOD, "--policy", file, "--format", "json").stdout)
    assert document["state"] == "unproven"
    assert document["policy"]["installed_witness"] == "observed"


@pytest.mark.parametrize("words", [(), (GOOD, "--run", "r"), (GOOD, "--cut"), ("--nonsense",)])
def test_words_that_do_not_fit_are_a_usage_error(words: tuple[object, ...]) -> None:
    done = run("judge", *words)
    assert done.exit_code == 2
    assert done.stderr.startswith("witnessmark: error: ")
    assert "hint: see witnessmark judge --help" in done.stderr


# --- the stream ------------------------------------------------------------------------------------------------------


def test_the_memory_of_a_long_transcript_is_flat(tmp_path: Path) -> None:
    """Ten times the frames may not take more than a fixed allowance above one time the frames."""
    program = (
        "import resource, sys\n"
        "from witnessmark.cli.judge import judge_file\n"
        "from witnessmark.model.policy import Policy\n"
        "judge_file(sys.argv[1], Policy(), None, cut=False)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    peaks = []
    for frames in (2_000, 20_000):
        file = tmp_path / f"{frames}.jsonl"
        with file.open("w") as out:
            out.write(HEADER + initialize(0, 1))
            for number in range(frames):
                out.write(frame(1, "client", message={"jsonrpc": "2.0", "id": number + 2, "method": "ping"}))
                out.write(frame(1, "server", message={"jsonrpc": "2.0", "id": number + 2, "result": {}}))
        done = subprocess.run([sys.executable, "-c", program, str(file)], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout))
    unit = 1 if sys.platform == "darwin" else 1024
    assert (peaks[1] - peaks[0]) * unit < 8 << 20


def test_a_process_ends_with_the_exit_code_of_its_verdict() -> None:
    for transcript, code in ((GOOD, 0), (BAD, 1), (UNPROVED, 3)):
        _, as_of = case_of(transcript)
        done = subprocess.run([sys.executable, "-m", "witnessmark", "judge", str(transcript), *as_of], capture_output=True, check=False)
        assert done.returncode == code, done.stderr
        assert done.stderr == b""


def test_a_pipe_is_judged_as_a_file_is(tmp_path: Path) -> None:
    """A pipe cannot be read twice, whatever the first event is needed for."""
    store = tmp_path / "e.sqlite"
    write_run(store, "r")
    log = tmp_path / "log.jsonl"
    log.write_text(run("export", "r", "--store", store).stdout)
    for file, as_of in ((GOOD, "60"), (log, "60")):
        for words in ([], ["--as-of", as_of]):
            command = [sys.executable, "-m", "witnessmark", "judge", "-", *words, "--format", "json"]
            with subprocess.Popen(["cat", str(file)], stdout=subprocess.PIPE) as first:
                done = subprocess.run(command, stdin=first.stdout, capture_output=True, check=False)
            direct = json.loads(run("judge", file, *words, "--format", "json").stdout)
            piped_document = json.loads(done.stdout)
            assert piped_document["state"] == direct["state"] == "healthy"
            assert piped_document["as_of"] == direct["as_of"]


def test_a_store_given_as_a_file_is_told_how_it_is_judged(tmp_path: Path) -> None:
    store = tmp_path / "e.sqlite"
    write_run(store, "r")
    done = run("judge", store)
    assert done.exit_code == 2
    assert f"--store {store} --run RUN" in done.stderr


def test_a_line_beyond_the_limit_is_broken_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("witnessmark.adapters.input_files.LINE_BYTES", 4_096)
    file = tmp_path / "long.jsonl"
    lines = GOOD.read_text().splitlines(keepends=True)
    long = frame(0.085, "client", message={"jsonrpc": "2.0", "method": "x", "params": {"text": "x" * 10_000}})
    file.write_text("".join([*lines[:8], long, *lines[8:]]))
    document = json.loads(run("judge", file, "--format", "json").stdout)
    assert document["counts"]["gaps"] == 1
    assert document["counts"]["calls"] == 1
    assert document["state"] == "unproven"


CANARY = "canary-2b77-never-shown"


def test_contents_of_a_transcript_reach_no_output(tmp_path: Path) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 9,
        "method": "tools/call",
        "params": {"name": "publish_report", "arguments": {"slug": CANARY, "key": CANARY}},
    }
    failed = {"jsonrpc": "2.0", "id": 9, "error": {"code": -32000, "message": CANARY, "data": {"text": CANARY}}}
    asked = {"jsonrpc": "2.0", "id": CANARY, "method": CANARY, "params": {"_meta": {"progressToken": CANARY}}}
    progress = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": CANARY, "progress": 1, "message": CANARY}}
    file = tmp_path / "canary.jsonl"
    file.write_text(
        GOOD.read_text()
        + frame(1, "client", message=call)
        + frame(1.1, "server", message=progress)
        + frame(1.2, "server", message=failed)
        + frame(1.3, "client", message=asked)
        + frame(1.4, "server", raw=CANARY)
        + frame(
            1.5, "server", channel="h", http={"status": 401, "headers": {"WWW-Authenticate": f'Bearer realm="{CANARY}", token="{CANARY}"'}}
        )
        + frame(1.6, "client", channel="h", http={"method": "POST", "path": f"/mcp?key={CANARY}", "headers": {"Authorization": CANARY}})
        + frame(1.7, "destination", effect={"operation_key": CANARY, "status": "absent"})
        + f'{{"{CANARY}": broken\n'
    )
    for words in ([], ["--format", "json"], ["--as-of", "0.05"], ["--as-of", "0.05", "--cut"]):
        done = run("judge", file, *words)
        assert CANARY not in done.output
        assert "defect" not in done.output
