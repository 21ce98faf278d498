"""`witnessmark.toml` declares tools, destinations, tasks and policy; everything that is wrong in it is said at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from witnessmark.adapters.configuration import ConfigurationError, read_configuration
from witnessmark.adapters.toml_places import Places
from witnessmark.model.declaration import (
    Declarations,
    DestinationDeclaration,
    OutcomeDeclaration,
    Requires,
    TaskDeclaration,
    ToolDeclaration,
)

GOOD = """
redact = ["acct-[0-9]+"]

[servers.files]
command = ["python", "server.py"]

[tools."files/write_report"]
effect = "write"
operation_key = "/key"
key_lifetime = "1d"
inactivity = "30s"
absolute = "10m"
verify = "max_age=30s"
destination = { kind = "file", path = "out/{slug}.txt" }

[tools."files/list/all"]
trust_hints = true
destination = "shelf"

[destinations.shelf]
kind = "file"
path = "out/shelf.txt"

[tasks.report]
requires = ["protocol>=2025-06-18", "protocol<=2025-11-25", "tools.listChanged"]
outcomes = [
    { name = "report", verify = { kind = "file", path = "out/w48.txt" }, proves_effect = true, visibility = "public" },
    { name = "style", verify = { kind = "file", path = "style.txt" }, accept_judged = true },
]

[policy]
inactivity = "45s"
"""


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "witnessmark.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def mistakes(tmp_path: Path, text: str) -> list[tuple[int, str, str]]:
    path = written(tmp_path, text)
    with pytest.raises(ConfigurationError) as raised:
        read_configuration(path)
    assert all(one.hint for one in raised.value.mistakes)
    assert raised.value.where.startswith(path)
    return [(one.line, one.pointer, one.message.partition(": ")[2]) for one in raised.value.mistakes]


def test_everything_that_can_be_declared_is_read(tmp_path: Path) -> None:
    found = read_configuration(written(tmp_path, GOOD)).declarations
    shelf = DestinationDeclaration(kind="file", settings={"path": "out/shelf.txt"}, name="shelf")
    assert found == Declarations(
        tools=(
            ToolDeclaration(
                server="files",
                tool="write_report",
                operation_key="/key",
                key_lifetime_s=86_400.0,
                inactivity_s=30.0,
                absolute_s=600.0,
                verify="max_age=30s",
                destination=DestinationDeclaration(kind="file", settings={"path": "out/{slug}.txt"}),
            ),
            ToolDeclaration(server="files", tool="list/all", trust_hints=True, destination=shelf),
        ),
        destinations={"shelf": shelf},
        tasks={
            "report": TaskDeclaration(
                name="report",
                requires=Requires(oldest="2025-06-18", newest="2025-11-25", capabilities=("tools.listChanged",)),
                outcomes=(
                    OutcomeDeclaration(
                        name="report", kind="file", settings={"path": "out/w48.txt"}, proves_effect=True, visibility="public"
                    ),
                    OutcomeDeclaration(name="style", kind="file", settings={"path": "style.txt"}, accept_judged=True),
                ),
            )
        },
        policy=found.policy,
    )
    assert (found.policy.inactivity_s, found.policy.absolute_s) == (45.0, 600.0)


@pytest.mark.parametrize(
    "text,line,pointer,message",
    [
        ('[tools."files/x"]\neffects = "read"\n', 2, "/tools/files~1x/effects", "is no member of a tool"),
        ('[tools."files/x"]\neffect = "reads"\n', 2, "/tools/files~1x/effect", "is none of its words"),
        ('[tools."files/x"]\n\nabsolute = "10 minutes"\n', 3, "/tools/files~1x/absolute", "must be a duration above zero"),
        ('[tools."files/x"]\ninactivity = "30"\n', 2, "/tools/files~1x/inactivity", "must be a duration above zero"),
        ('[tools."files/x"]\ninactivity = 0\n', 2, "/tools/files~1x/inactivity", "must be a duration above zero"),
        ('[tools."files/x"]\nabsolute = "1e99s"\n', 2, "/tools/files~1x/absolute", "must be a duration above zero"),
        ('[tools."files/x"]\ninactivity = "2m"\nabsolute = "1m"\n', 2, "/tools/files~1x/inactivity", "is longer than absolute"),
        ('[tools."files/x"]\noperation_key = "key"\n', 2, "/tools/files~1x/operation_key", "must be a JSON Pointer"),
        ('[tools."files/x"]\noperation_key = "/a~2"\n', 2, "/tools/files~1x/operation_key", "must be a JSON Pointer"),
        ('[tools."files/x"]\nkey_lifetime = "1d"\n', 2, "/tools/files~1x/key_lifetime", "has no operation_key"),
        ('[tools."files/x"]\neffect = "write"\ntrust_hints = true\n', 3, "/tools/files~1x/trust_hints", "stands beside effect"),
        ('[tools."files/x"]\nverify = "sometimes"\n', 2, "/tools/files~1x/verify", "is no verify policy"),
        ('[tools."files/x"]\nverify = "max_age=soon"\n', 2, "/tools/files~1x/verify", "is no verify policy"),
        ('[tools."files/x"]\ndestination = "shelf"\n', 2, "/tools/files~1x/destination", "names no destination of this file"),
        ("[tools]\nx = {}\n", 2, "/tools/x", "is no tool of a server"),
        ("tools = 3\n", 1, "/tools", "must be a table"),
        ('[destinations.shelf]\nkind = "cloud"\n', 2, "/destinations/shelf/kind", "is no kind of destination that is installed here"),
        ("[destinations.shelf]\n", 1, "/destinations/shelf", "is no kind of destination that is installed here"),
        ('[destinations.shelf]\nkind = "file"\n', 1, "/destinations/shelf", "has no path"),
        (
            '[destinations.shelf]\nkind = "file"\npath = "x"\nmode = 3\n',
            4,
            "/destinations/shelf/mode",
            "is no member of a destination of kind file",
        ),
        ('[tasks.t]\noutcomes = [\n  { name = "a" },\n]\n', 3, "/tasks/t/outcomes/0", "has no verify"),
        (
            '[[tasks.t.outcomes]]\nname = "a"\nverify = { kind = "file", path = "x" }\n' * 2,
            5,
            "/tasks/t/outcomes/1/name",
            "is the name of another outcome of this task",
        ),
        (
            '[tasks.t]\noutcomes = [{ name = "a", verify = { kind = "file", path = "x", sha256 = "12" } }]\n',
            2,
            "/tasks/t/outcomes/0/verify/sha256",
            "must be a SHA-256 in hex",
        ),
        ('[tasks.t]\nrequires = ["protocol>2025"]\n', 2, "/tasks/t/requires/0", "names neither a protocol version nor a capability"),
        (
            '[tasks.t]\nrequires = ["protocol>=2026-07-28", "protocol<=2025-11-25"]\n',
            2,
            "/tasks/t/requires",
            "no protocol version is in this range",
        ),
        ('[policy]\ninactivity = "long"\n', 2, "/policy/inactivity", "is no duration"),
        ("[policy]\nmax_ages = 3\n", 2, "/policy/max_ages", "unknown member of a policy"),
        ('redact = ["a", "("]\n', 1, "/redact/1", "no regular expression: missing ), unterminated subpattern at position 0"),
    ],
)
def test_what_is_wrong_is_named_by_line_and_pointer(tmp_path: Path, text: str, line: int, pointer: str, message: str) -> None:
    assert mistakes(tmp_path, text) == [(line, pointer, message)]


def test_all_mistakes_are_said_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = """
[servers.files]
command = ["python", "server.py"]
shell = true
cwd = "x"
[tools."files/x"]
effect = "reads"
absolute = "ten"
[gates]
[tasks.t]
outcomes = [{ name = "a b", verify = { kind = "file", path = "x" } }]
"""
    assert [(line, pointer) for line, pointer, _ in mistakes(tmp_path, text)] == [
        (4, "/servers/files/shell"),
        (5, "/servers/files/cwd"),
        (7, "/tools/files~1x/effect"),
        (8, "/tools/files~1x/absolute"),
        (9, "/gates"),
        (11, "/tasks/t/outcomes/0/name"),
    ]


def test_no_value_of_the_file_is_repeated_in_a_mistake(tmp_path: Path) -> None:
    canary = "canary-9f2"
    text = f"""
[tools."files/x"]
effect = "{canary}"
absolute = "{canary}"
operation_key = "{canary}"
verify = "{canary}"
destination = "{canary}"
[destinations.d]
kind = "{canary}"
[tasks.t]
requires = ["{canary} 3"]
[policy]
inactivity = "{canary}"
installed_witness = "{canary}"
"""
    path = written(tmp_path, text)
    with pytest.raises(ConfigurationError) as raised:
        read_configuration(path)
    assert len(raised.value.mistakes) == 9
    assert canary not in str(raised.value)
    assert not [one for one in raised.value.mistakes if canary in repr(one)]


@pytest.mark.parametrize(
    "text,keys,line",
    [
        ("a = 1\n\n[b.c]\nd = 2\n", ("b", "c", "d"), 4),
        ("[b.c]\n[b]\nx = 1\n", ("b",), 2),
        ('a = """\n[no]\nb = 1\n"""\nc = 2\n', ("c",), 5),
        ("a = '''x'''\n'b c'.d = 1 # e = 2\n", ("b c", "d"), 2),
        ('"\\u0061\\t" = 1\n', ("a\t",), 1),
        ("a = [\n  1,\n  { b = [ 2, [3] ] }, # ]\n]\nc = 1\n", ("a", 1, "b", 1, 0), 3),
        ("[[a]]\nx = 1\n[[a]]\nx = 1\n[a.b]\ny = 1\n", ("a", 1, "b", "y"), 6),
        ("a = 2026-12-01T00:00:00Z\nb = 1e3\n", ("b",), 2),
        ('a = "\\"]"\nb = {}\nc = []\nd = 1\n', ("d",), 4),
        ("a = 1\n", ("a", "missing"), 1),
        ("a = 1\n", ("missing",), 0),
        ("a = [\n" + "[" * 5000, ("a",), 1),
        ("= = = [[[", ("a",), 0),
    ],
)
def test_the_line_of_a_member_is_found_in_any_way_of_writing_it(text: str, keys: tuple[str | int, ...], line: int) -> None:
    assert Places(text).line(keys) == line
