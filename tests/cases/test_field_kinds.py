"""Kinds of what goes wrong in the field, each as a transcript of our own: alone, and inside a run that is healthy otherwise.

The expectations follow the rules of verdicts; where a report from the field expected another word, field/README.md says why.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import witnessmark
from chunkings import cut
from observe_scene import redactor
from witnessmark.model.chain import Recorder
from witnessmark.model.evidence import CallAnswered, CatalogChanged, Event, Fact, ResponseUnpaired, WireMalformed, decode_fact, encode_fact
from witnessmark.model.reasons import reason_code
from witnessmark.model.verdict import Verdict
from witnessmark.observe.observer import Observer
from witnessmark.observe.relay import Effects, Record, Relay
from witnessmark.observe.transcript import read_transcript
from witnessmark.render.jsonout import dumps, verdict_document

FIELD = Path(__file__).parent / "field"
NAMES = sorted(str(path.relative_to(FIELD)) for path in FIELD.rglob("*.jsonl"))


def _expected(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((FIELD / name).with_suffix(".expect.json").read_text())
    return loaded


def _words(verdict: Verdict) -> set[str]:
    """Every reason word of the verdict, deciding or not."""
    words = {reason_code(condition.reason) for condition in verdict.conditions}
    words |= {word for report in verdict.catalogs for word in report.reasons}
    return words | {word for call in verdict.calls for word in call.reasons}


def test_every_expectation_has_its_transcript_and_every_transcript_its_expectation() -> None:
    expectations = {str(path.relative_to(FIELD)).removesuffix(".expect.json") for path in FIELD.rglob("*.expect.json")}
    assert expectations == {name.removesuffix(".jsonl") for name in NAMES}
    assert len(NAMES) > 300


@pytest.mark.parametrize("name", NAMES)
def test_a_kind_gets_its_verdict(name: str) -> None:
    expected = _expected(name)
    verdict = witnessmark.judge(witnessmark.read(FIELD / name), as_of=expected["as_of"])
    assert verdict.state == expected["state"], verdict.deciding
    assert verdict.exit_code == expected["exit"]
    reports = {report.server: report for report in verdict.catalogs}
    for server, catalog in expected.get("catalogs", {}).items():
        assert reports[server].verdict == catalog["verdict"], reports[server]
        assert reports[server].delivered is catalog.get("delivered", reports[server].delivered)
    for word in expected.get("forbidden_any", []):
        assert word in verdict.forbidden
    assert set(expected.get("reasons_all", [])) <= _words(verdict), _words(verdict)
    for count, value in expected.get("counts", {}).items():
        assert getattr(verdict.counts, count) == value, (count, verdict.counts)


@pytest.mark.parametrize("receipt", ["installed", "effect", "outcome"])
@pytest.mark.parametrize("name", [name for name in NAMES if _expected(name)["state"] == "healthy"])
def test_a_healthy_kind_is_not_healthy_without_its_receipts(name: str, receipt: str) -> None:
    """Each green expectation rests on evidence: take one kind of receipt away and it is gone."""
    lines = (FIELD / name).read_bytes().splitlines(keepends=True)
    without = [line for line in lines if receipt not in json.loads(line)]
    assert len(without) < len(lines)
    assert witnessmark.judge(_events(without), as_of=_expected(name)["as_of"]).state != "healthy"


def _events(lines: list[bytes]) -> list[Event]:
    return list(read_transcript(lines, "t"))


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("privacy/")])
def test_no_secret_of_a_message_is_in_a_fact_or_a_verdict(name: str) -> None:
    assert "SENTINEL" in (FIELD / name).read_text()
    events = list(witnessmark.read(FIELD / name))
    kept = b"".join(encode_fact(event.fact) for event in events)
    kept += dumps(verdict_document(witnessmark.judge(events))).encode()
    assert b"SENTINEL" not in kept


# --- raw bytes of a server's pipe -------------------------------------------------------------------------------------

CALL = b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"post_entry","arguments":{}}}\n'
DONE = b'{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"done"}]}}'
LINE = DONE + b"\n"
LEGACY_TEXT = DONE.replace(b"done", b"\xb0\xa1\xb3\xaa") + b"\n"
ADVISED, LOST = False, True

BYTES: dict[str, tuple[bytes, list[tuple[str, bool]], list[str]]] = {
    # what the server wrote; the findings, each with whether a message may be lost in it; how the call was answered
    "a banner before the message": (b"Ledger server 1.2.3\n" + LINE, [("JunkLine", ADVISED)], ["result"]),
    "terminal colours": (b"\x1b[32mready\x1b[0m\n" + LINE, [("JunkLine", ADVISED)], ["result"]),
    "zero bytes": (b"\x00\x00\n" + LINE, [("JunkLine", ADVISED)], ["result"]),
    "a log line in JSON": (b'{"level":"info","msg":"ready"}\n' + LINE, [("JunkLine", ADVISED)], ["result"]),
    "bare JSON values": (b'42\n"hi"\nnull\n[]\n' + LINE, [("JunkLine", ADVISED)] * 4, ["result"]),
    "blank lines": (b"\n  \n" + LINE, [], ["result"]),
    "text of another encoding": (LEGACY_TEXT, [("InvalidUtf8", LOST)], []),
    "characters of several bytes": (DONE.replace(b"done", "é🎉".encode()) + b"\n", [], ["result"]),
    "a byte order mark": (b"\xef\xbb\xbf" + LINE, [("BomBefore", ADVISED)], ["result"]),
    "UTF-16": (DONE.decode().encode("utf-16-le") + b"\n\x00", [("NotJson", LOST), ("JunkLine", ADVISED)], []),
    "lines that end in CRLF": (DONE + b"\r\n", [("CrlfLineEnd", ADVISED)], ["result"]),
    "lines that end in CR": (DONE + b"\r" + DONE + b"\r", [("TruncatedLine", LOST)], []),
    "two messages in one line": (DONE + LINE, [("NotJson", LOST)], []),
    "a line end inside a message": (DONE.replace(b"done", b"do\nne") + b"\n", [("NotJson", LOST), ("JunkLine", ADVISED)], []),
    "header framing": (
        b"Content-Length: 77\r\n\r\n" + DONE,
        [("ContentLengthFraming", LOST), ("CrlfLineEnd", ADVISED)],
        ["result"],
    ),
    "an event stream in a pipe": (b"data: " + LINE + b"\n", [("NotJson", LOST)], []),
    "no line end before the end": (DONE, [], ["result"]),
    "an end inside the message": (DONE[:30], [("TruncatedLine", LOST)], []),
    "half a message as a line": (DONE[:30] + b"\n", [("NotJson", LOST)], []),
    "a trailing comma": (DONE.replace(b'"done"', b'"done",') + b"\n", [("NotJson", LOST)], []),
    "single quotes": (DONE.replace(b'"', b"'") + b"\n", [("NotJson", LOST)], []),
    "NaN": (DONE.replace(b'"done"', b'"done","n":NaN') + b"\n", [("NotANumber", ADVISED)], ["result"]),
    "an infinity": (DONE.replace(b'"done"', b'"done","n":-Infinity') + b"\n", [("NotANumber", ADVISED)], ["result"]),
    "a number of five thousand digits": (
        DONE.replace(b'"done"', b'"done","n":' + b"9" * 5000) + b"\n",
        [("NumberOutOfRange", ADVISED)],
        ["result"],
    ),
    "a lone surrogate": (DONE.replace(b"done", b"\\ud800") + b"\n", [("LoneSurrogate", ADVISED)], ["result"]),
    "two thousand brackets": (DONE.replace(b'"done"', b'"done","n":' + b"[" * 2000 + b"]" * 2000) + b"\n", [("TooDeep", LOST)], []),
    "a name that stands twice in the envelope": (DONE.replace(b'"id":3', b'"id":4,"id":3') + b"\n", [("DuplicateName", LOST)], ["result"]),
    "a name that stands twice in the result": (
        DONE.replace(b'"type":"text"', b'"type":"text","type":"json"') + b"\n",
        [("DuplicateName", ADVISED)],
        ["invalid"],
    ),
    "a batch": (b"[" + DONE + b"]\n", [("BatchNotAllowed", ADVISED)], ["result"]),
    "result and error": (b'{"jsonrpc":"2.0","id":3,"result":{},"error":{"code":1,"message":"x"}}\n', [], ["invalid"]),
    "neither result nor error": (b'{"jsonrpc":"2.0","id":3}\n', [], ["invalid"]),
    "a result that is text": (b'{"jsonrpc":"2.0","id":3,"result":"done"}\n', [], ["invalid"]),
    "an error that is text": (b'{"jsonrpc":"2.0","id":3,"error":"x"}\n', [], ["invalid"]),
    "an error without a code": (b'{"jsonrpc":"2.0","id":3,"error":{"message":"x"}}\n', [], ["invalid"]),
    "an error with a null id": (b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}\n', [], ["error", "null_id"]),
    "the id as text": (DONE.replace(b'"id":3', b'"id":"3"') + b"\n", [], ["id_type"]),
    "the id as a fraction": (DONE.replace(b'"id":3', b'"id":3.0') + b"\n", [("FractionalId", LOST)], []),
    "the id as an object": (DONE.replace(b'"id":3', b'"id":{}') + b"\n", [("BadId", LOST)], []),
    "the answer twice": (LINE + LINE, [], ["result", "repeated"]),
    "two answers": (LINE + LINE.replace(b"done", b"other"), [], ["result", "duplicate"]),
    "an answer to another id": (DONE.replace(b'"id":3', b'"id":4') + b"\n", [], ["nobody"]),
    "no version of JSON-RPC": (DONE.replace(b'"jsonrpc":"2.0",', b"") + b"\n", [("NoJsonRpcVersion", ADVISED)], ["result"]),
    "another version of JSON-RPC": (DONE.replace(b'"2.0"', b'"1.0"') + b"\n", [("WrongJsonRpcVersion", ADVISED)], ["result"]),
    "a signal whose params are an array": (
        b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":[]}\n' + LINE,
        [],
        ["changed", "result"],
    ),
}


class Pipe:
    """A relay with its effects carried out: what was recorded, and what went to the client."""

    def __init__(self) -> None:
        self.relay = Relay(Observer("ledger", redactor()), Recorder("proxy", "s", "r"))
        self.facts: list[Fact] = []
        self.sent = b""

    def take(self, effects: Effects) -> None:
        for effect in effects:
            if isinstance(effect, Record):
                self.facts += [decode_fact(entry.kind, entry.data) for entry in effect.entries]
            elif effect.to == "client":
                self.sent += effect.data


def _through(written: bytes, sizes: list[int]) -> Pipe:
    pipe = Pipe()
    pipe.take(pipe.relay.opened(0))
    pipe.take(pipe.relay.receive("client", CALL, 1))
    for chunk in cut(written, sizes):
        pipe.take(pipe.relay.receive("server", chunk, 2))
    pipe.take(pipe.relay.eof("server", 3))
    return pipe


def _answers(facts: list[Fact]) -> list[str]:
    words = []
    for fact in facts:
        if isinstance(fact, CallAnswered):
            words.append(fact.outcome)
        elif isinstance(fact, ResponseUnpaired):
            words.append(fact.reason)
        elif isinstance(fact, CatalogChanged):
            words.append("changed")
    return words


@pytest.mark.parametrize("sizes", [[], [1], [7, 2]], ids=["whole", "byte by byte", "in pieces"])
@pytest.mark.parametrize("name", BYTES)
def test_bytes_of_a_pipe_are_told_and_forwarded_as_they_came(name: str, sizes: list[int]) -> None:
    written, findings, answers = BYTES[name]
    pipe = _through(written, sizes)
    assert pipe.sent == written
    assert [(fact.finding, fact.fatal) for fact in pipe.facts if isinstance(fact, WireMalformed)] == findings
    assert _answers(pipe.facts) == answers


def test_bytes_that_are_no_text_are_told_by_their_place() -> None:
    (found,) = [fact for fact in _through(LEGACY_TEXT, []).facts if isinstance(fact, WireMalformed)]
    assert found.offset == LEGACY_TEXT.index(b"\xb0")
    assert found.size_bytes == len(LEGACY_TEXT) - 1


@pytest.mark.parametrize("name", BYTES)
def test_nothing_of_unreadable_bytes_is_kept(name: str) -> None:
    kept = b"".join(encode_fact(fact) for fact in _through(BYTES[name][0], []).facts)
    for word in (b"done", b"Ledger server", b"ready", b"\xb0\xa1"):
        assert word not in kept
