"""`--transcript` writes what passed as it passed; `--redact` hides the values and changes no verdict."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import witnessmark
from peers.raw_client import RawClient
from witnessmark.adapters.placeholders import Placeholders
from witnessmark.adapters.transcript_file import TranscriptFile, open_transcript
from witnessmark.adapters.transcript_redaction import TranscriptRedaction
from witnessmark.model.evidence import Side
from witnessmark.model.verdict import Verdict

TESTS = Path(__file__).parents[2]
CASES = TESTS / "data" / "cases"
CORPUS = TESTS.parents[1] / "shared" / "corpus" / "transcripts"
NAMES = sorted(str(path.relative_to(CASES)) for path in CASES.rglob("*.jsonl"))
SERVERS = TESTS / "peers" / "servers"
PROXY = str(Path(sys.executable).with_name("witnessmark"))
CANARIES = (
    "s3cr3t-argument",
    "p4ssw0rd-nested",
    "t0ken-in-result",
    "c4nary-error",
    "junk-secret-9",
    "name-as-data@example.com",
    "4711081500",
)


def frames(path: Path) -> Iterator[dict[str, Any]]:
    header, *lines = path.read_text().splitlines()
    assert json.loads(header)["witnessmark"] == "transcript/1"
    for line in lines:
        yield json.loads(line)


# --- the raw transcript ----------------------------------------------------------------------------------------------


def write(path: Path, *events: tuple[Side, bytes], redact: TranscriptRedaction | None = None) -> Path:
    transcript = TranscriptFile(open_transcript(str(path)), str(path), server="s", started_us=1_000_000, redact=redact)
    for number, (side, data) in enumerate(events):
        transcript.receive(side, data, 1_000_000 + number * 1000)
    transcript.eof("client", 2_000_000)
    transcript.eof("server", 2_000_000)
    transcript.closed("client", 0, 2_000_000)
    return path


def test_a_transcript_keeps_every_frame_in_its_text_and_order(tmp_path: Path) -> None:
    request = b'{"jsonrpc":"2.0", "id":9007199254740993, "method":"x", "params":{"a":1.0,"a":2}}'
    path = write(
        tmp_path / "t", ("client", request[:30]), ("server", b"junk \xff\n\n"), ("client", request[30:] + b"\r\n"), ("server", b'{"half')
    )
    text = path.read_text()
    assert '"message":' + request.decode() in text
    assert [(frame.get("from"), "message" in frame, frame.get("raw")) for frame in frames(path)] == [
        ("server", False, "junk \udcff"),
        ("server", False, ""),
        ("client", True, None),
        ("server", False, '{"half'),
        ("tap", False, None),
    ]
    assert [frame["at"] for frame in frames(path)] == [0.001, 0.001, 0.002, 1.0, 1.0]


def test_a_transcript_is_for_its_owner_only_and_replaces_an_older_one(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_text("older")
    path.chmod(0o644)
    write(path, ("client", b"{}\n"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "older" not in path.read_text()


def test_a_frame_too_large_for_memory_is_written_whole(tmp_path: Path) -> None:
    text = b'{"jsonrpc":"2.0","id":1,"result":{"t":"' + b"y" * 3_000_000 + b'"}}'
    cut = [("server", text[start : start + 65536]) for start in range(0, len(text), 65536)]
    events: list[tuple[Side, bytes]] = [("server", data) for _, data in cut]
    path = write(tmp_path / "t", *events, ("server", b"\n"))
    assert json.dumps(next(frames(path))["message"], separators=(",", ":")).encode() == text


def test_the_proxy_says_that_a_transcript_holds_what_passes(tmp_path: Path) -> None:
    path = tmp_path / "t"
    command = [PROXY, "proxy", "--store", tmp_path / "e.db", "--transcript", path, "--", sys.executable, SERVERS / "behaves.py", "copy"]
    with RawClient(command) as client:
        client.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert client.finish() == 0
        assert b"secrets included" in client.err
    assert [frame["from"] for frame in frames(path)] == ["client", "server", "tap"]


def test_a_transcript_that_cannot_be_made_starts_no_server(tmp_path: Path) -> None:
    mark = tmp_path / "started"
    with RawClient([PROXY, "proxy", "--transcript", tmp_path / "none" / "t", "--store", tmp_path / "e.db", "--", "touch", mark]) as client:
        assert client.finish() == 2
        assert b"cannot be made" in client.err
        assert not mark.exists()


def test_a_transcript_that_fails_leaves_the_traffic_alone(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here: a write that fails cannot be had")
    command = [
        PROXY,
        "proxy",
        "--transcript",
        "/dev/full",
        "--store",
        tmp_path / "e.db",
        "--",
        sys.executable,
        SERVERS / "behaves.py",
        "copy",
    ]
    with RawClient(command) as client:
        client.send(b"anything\n")
        assert client.finish() == 0
        assert client.out == b"anything\n"
        assert b"the transcript ends here" in client.err


def test_a_session_and_its_transcript_get_the_same_catalog_and_calls(tmp_path: Path) -> None:
    path, store = tmp_path / "t", tmp_path / "e.db"
    command = [PROXY, "proxy", "--run", "R", "--server", "s", "--store", store, "--transcript", path]
    with RawClient([*command, "--", sys.executable, SERVERS / "counting.py", tmp_path / "noted"]) as client:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        client.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        client.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})
        client.ask({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
        client.ask({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "note", "arguments": {}}})
        assert client.finish() == 0
    from witnessmark.adapters.store.location import open_store

    kept = open_store(store)
    from_store = list(kept.events("R"))
    kept.close()
    from_file = list(witnessmark.read(path))
    kinds = [[event.fact.KIND for event in events if not event.fact.KIND.startswith("evidence.")] for events in (from_store, from_file)]
    assert kinds[0] == kinds[1]


# --- the redacted transcript -----------------------------------------------------------------------------------------


def redacted(path: Path, into: Path) -> Path:
    """The transcript with its wire redacted, and the operation keys of receipts as the wire has them now."""
    redaction = TranscriptRedaction()
    lines = path.read_bytes().splitlines()
    out = [lines[0]]
    for line in lines[1:]:
        try:
            frame = json.loads(line)
        except ValueError:
            out.append(line)
            continue
        if frame.get("from") in {"client", "server"} and "message" in frame:
            text = line[line.index(b'"message"') + len(b'"message"') :].split(b":", 1)[1]
            message, _ = json.JSONDecoder().raw_decode(text.decode().lstrip())
            frame["message"] = json.loads(redaction(frame["from"], json.dumps(message).encode()))
        elif frame.get("from") in {"client", "server"} and "raw" in frame:
            frame["raw"] = redaction(frame["from"], frame["raw"].encode()).decode()
        if isinstance(frame.get("effect"), dict) and "operation_key" in frame["effect"]:
            key = frame["effect"]["operation_key"]
            hidden = (
                redaction._placeholders.text(key) if isinstance(key, str) else json.loads(redaction._placeholders.number(json.dumps(key)))
            )
            frame["effect"]["operation_key"] = hidden
        out.append(json.dumps(frame).encode())
    into.write_bytes(b"\n".join(out) + b"\n")
    return into


def said(verdict: Verdict) -> dict[str, Any]:
    """What a verdict says, without the hashes of what it saw."""
    return {
        "state": verdict.state,
        "exit": verdict.exit_code,
        "owner": verdict.owner,
        "next": verdict.next,
        "forbidden": list(verdict.forbidden),
        "deciding": [(condition.layer, condition.type, condition.status, condition.reason) for condition in verdict.deciding],
        "catalogs": [(report.server, report.verdict, report.delivered, report.reasons) for report in verdict.catalogs],
        "calls": [(call.tool, call.state, call.settled) for call in verdict.calls],
    }


@pytest.mark.parametrize("name", NAMES)
def test_redaction_changes_no_verdict(tmp_path: Path, name: str) -> None:
    path = CASES / name
    as_of = json.loads(path.with_name(path.stem + ".expect.json").read_text())["as_of"]
    raw = said(witnessmark.judge(witnessmark.read(path), as_of=as_of))
    assert said(witnessmark.judge(witnessmark.read(redacted(path, tmp_path / "t.jsonl")), as_of=as_of)) == raw


@pytest.mark.shared
def test_redaction_changes_no_verdict_about_traffic_of_real_clients(tmp_path: Path) -> None:
    """The corpus belongs to third parties and stays outside the project; the cases above are the standing proof."""
    if not CORPUS.is_dir():
        pytest.skip("the corpus of real clients' traffic is not beside this checkout")
    differing = []
    for path in sorted(CORPUS.rglob("*.jsonl")):
        raw = said(witnessmark.judge(witnessmark.read(path)))
        if said(witnessmark.judge(witnessmark.read(redacted(path, tmp_path / "t.jsonl")))) != raw:
            differing.append(str(path.relative_to(CORPUS)))
    assert differing == []


SECRETS: list[tuple[Side, bytes]] = [
    ("client", b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"com.example/k":"p4ssw0rd-nested"}}}\n'),
    (
        "server",
        (
            b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"note","inputSchema":{"type":"object",'
            b'"properties":{"text":{},"deep":{"properties":{"known":{}}}}}}]}}\n'
        ),
    ),
    (
        "client",
        (
            b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"note","arguments":{"text":"s3cr3t-argument",'
            b'"number":4711081500,"deep":{"known":"p4ssw0rd-nested","name-as-data@example.com":[true,null,"s3cr3t-argument"]}}}}\n'
        ),
    ),
    (
        "server",
        (
            b'{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"t0ken-in-result"}],"isError":false,'
            b'"structuredContent":{"name-as-data@example.com":4711081500}}}\n'
        ),
    ),
    ("client", b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"note","arguments":{}}}\n'),
    ("server", b'{"jsonrpc":"2.0","id":3,"error":{"code":-32050,"message":"c4nary-error","data":{"why":"c4nary-error"}}}\n'),
    ("server", b"junk-secret-9 on standard output\n"),
    ("server", b'{"jsonrpc":"2.0","id":4,"result":{"t":"t0ken-in-result\n'),
]


def test_no_secret_survives_redaction_and_names_ids_and_codes_do(tmp_path: Path) -> None:
    path = write(tmp_path / "t", *SECRETS, redact=TranscriptRedaction())
    text = path.read_text()
    assert [canary for canary in CANARIES if canary in text] == []
    listed, called, answered, _, failed = [frame["message"] for frame in frames(path) if "message" in frame][1:]
    assert listed["result"]["tools"][0]["name"] == "note"
    assert called["params"]["name"] == "note"
    assert set(called["params"]["arguments"]) == {"text", "number", "deep"}
    assert "known" in called["params"]["arguments"]["deep"]
    assert answered["result"]["isError"] is False
    assert answered["result"]["content"][0]["type"] == "text"
    assert failed["error"]["code"] == -32050


def test_redaction_keeps_sizes_and_equal_values_equal(tmp_path: Path) -> None:
    path = write(tmp_path / "t", *SECRETS, redact=TranscriptRedaction())
    called = [frame["message"] for frame in frames(path) if "message" in frame][2]["params"]["arguments"]
    assert len(called["text"]) == len("s3cr3t-argument")
    assert 10**9 <= called["number"] < 10**10
    nested = next(value for name, value in called["deep"].items() if name != "known")
    assert nested == [True, None, called["text"]]


@given(st.lists(st.text(max_size=40), max_size=30, unique=True))
@settings(max_examples=60, deadline=None)
def test_placeholders_have_the_size_of_their_value_and_differ_as_the_values_do(values: list[str]) -> None:
    placeholders = Placeholders()
    given_out = [placeholders.text(value) for value in values]
    assert [len(placeholder) for placeholder in given_out] == [len(value.encode("utf-8", "surrogatepass")) for value in values]
    assert [placeholders.text(value) for value in values] == given_out
    assert len(set(given_out)) == len(values)


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
@settings(max_examples=100, deadline=None)
def test_a_hidden_number_is_a_number_of_the_same_length(value: float) -> None:
    token = json.dumps(value)
    hidden = Placeholders().number(token)
    assert len(hidden) == len(token)
    assert isinstance(json.loads(hidden), type(value))


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)),
    max_leaves=12,
)


@given(JSON, st.sampled_from(["tools/call", "tools/list", "initialize", "made/up"]), st.booleans())
@settings(max_examples=80, deadline=None)
def test_any_frame_stays_json_of_the_same_shape(value: Any, method: str, response: bool) -> None:
    redaction = TranscriptRedaction()
    redaction("client", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode())
    message = {"jsonrpc": "2.0", "id": 1, "result": value} if response else {"jsonrpc": "2.0", "id": 2, "method": method, "params": value}
    hidden = json.loads(redaction("server" if response else "client", json.dumps(message).encode()))
    assert shape(hidden) == shape(message)


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [shape(member) for member in value.values()]
    if isinstance(value, list):
        return [shape(member) for member in value]
    return type(value)


@pytest.mark.parametrize(
    "text", [b"", b"\x00", b'"lone"', b"12", b"[1,2", b'{"a":01}', b"\xef\xbb\xbf{}", b"\xff\xfe", b'{"jsonrpc":"2.0","id":1']
)
def test_what_is_no_message_is_masked_and_raises_nothing(text: bytes) -> None:
    assert len(TranscriptRedaction()("server", text)) >= 0
