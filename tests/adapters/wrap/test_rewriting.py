"""A client's file is rewritten by spans: every format keeps what is not meant, and taking the proxy out gives the old bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from witnessmark.adapters.client_files_entries import entries
from witnessmark.adapters.client_files_places import COMMENTS, STRICT, Place, Shape, places
from witnessmark.adapters.client_files_text import Unreadable, document_of
from witnessmark.adapters.wrap import rewriting
from witnessmark.adapters.wrap.difference import masked
from witnessmark.adapters.wrap.edits import Ours
from witnessmark.adapters.wrap.rewriting import Change, Left, rewritten

OURS = Ours(("/opt/wm/bin/witnessmark",))
WRAP, UNWRAP = Change(OURS, lambda path: path == "/opt/a b/server"), Change(None)


def place(client: str, shape: Shape, key: str) -> Place:
    return Place(client, Path("/home/u/file"), key, shape)


CLAUDE = place("Claude Code", STRICT, "mcpServers")
CURSOR = place("Cursor", COMMENTS, "mcpServers")
CODE = place("VS Code", COMMENTS, "servers")
CODEX = place("Codex", "TOML", "mcp_servers")
GOOSE = place("Goose", "YAML", "extensions")
CONTINUE = place("Continue", "YAML", "mcpServers")
LIBRECHAT = place("LibreChat", "YAML", "mcpServers")
ZED = place("Zed", COMMENTS, "context_servers")
OPENCODE = place("OpenCode", COMMENTS, "mcp")

FILES: list[tuple[str, Place, str, str]] = [
    (
        "JSON on several lines",
        CLAUDE,
        (
            '{\n  "mcpServers": {\n    "s": {\n      "command": "npx",\n      "args": [\n        "-y",\n        "srv"\n'
            '      ],\n      "env": {"T": "x"}\n    }\n  }\n}\n'
        ),
        (
            '{\n  "mcpServers": {\n    "s": {\n      "command": "/opt/wm/bin/witnessmark",\n      "args": [\n'
            '        "proxy", "--server", "s", "--", "npx",\n        "-y",\n        "srv"\n      ],\n'
            '      "env": {"T": "x"}\n    }\n  }\n}\n'
        ),
    ),
    (
        "JSON on one line",
        CLAUDE,
        '{"mcpServers":{"s":{"command":"npx","args":["-y"]}}}',
        ('{"mcpServers":{"s":{"command":"/opt/wm/bin/witnessmark","args":["proxy", "--server", "s", "--", "npx", "-y"]}}}'),
    ),
    (
        "no arguments: the member is ours, and says so",
        CLAUDE,
        '{"mcpServers": {"s": {\n  "command": "srv",\n  "type": "stdio"\n}}}',
        (
            '{"mcpServers": {"s": {\n  "command": "/opt/wm/bin/witnessmark",\n'
            '  "args": ["proxy", "--server=s", "--", "srv"],\n  "type": "stdio"\n}}}'
        ),
    ),
    (
        "empty arguments, before the command",
        CLAUDE,
        '{"mcpServers": {"s": {"args": [ ], "command": "srv"}}}',
        ('{"mcpServers": {"s": {"args": ["proxy", "--server", "s", "--", "srv" ], "command": "/opt/wm/bin/witnessmark"}}}'),
    ),
    (
        "a folder's servers in Claude Code's own file, and escapes as they were written",
        CLAUDE,
        ('{"numStartups": 3, "projects": {"/w": {"mcpServers": {"caf\\u00e9": {"command": "n\\u0070x", "args": ["\\ud83d\\ude00"]}}}}}'),
        (
            '{"numStartups": 3, "projects": {"/w": {"mcpServers": {"caf\\u00e9": {"command": '
            '"/opt/wm/bin/witnessmark", "args": ["proxy", "--server", "café", "--", "n\\u0070x", "\\ud83d\\ude00"]}}}}}'
        ),
    ),
    (
        "comments, trailing commas, Windows line ends and a byte order mark",
        CODE,
        (
            '\ufeff{\r\n\t// mine, {not} ["a"] bracket\r\n\t"servers": {\r\n\t\t"s": {\r\n'
            '\t\t\t"command": "cmd", /* "command": "x" */\r\n\t\t\t"args": ["/c", "npx", "${input:k}",],\r\n\t\t},\r\n'
            "\t},\r\n}\r\n"
        ),
        (
            '\ufeff{\r\n\t// mine, {not} ["a"] bracket\r\n\t"servers": {\r\n\t\t"s": {\r\n'
            '\t\t\t"command": "/opt/wm/bin/witnessmark", /* "command": "x" */\r\n'
            '\t\t\t"args": ["proxy", "--server", "s", "--", "cmd", "/c", "npx", "${input:k}",],\r\n\t\t},\r\n\t},\r\n'
            "}\r\n"
        ),
    ),
    (
        "Windows line ends and no arguments",
        CURSOR,
        '{\r\n  "mcpServers": {\r\n    "s": {\r\n      "command": "C:\\\\srv.exe"\r\n    }\r\n  }\r\n}',
        (
            '{\r\n  "mcpServers": {\r\n    "s": {\r\n      "command": "/opt/wm/bin/witnessmark",\r\n'
            '      "args": ["proxy", "--server=s", "--", "C:\\\\srv.exe"]\r\n    }\r\n  }\r\n}'
        ),
    ),
    (
        "a program whose path has a blank",
        CURSOR,
        '{"mcpServers": {"s": {"command": "/opt/a b/server", "args": [/* none */]}}}',
        (
            '{"mcpServers": {"s": {"command": "/opt/wm/bin/witnessmark", "args": ["proxy", "--server", '
            '"s", "--", "/opt/a b/server"/* none */]}}}'
        ),
    ),
    (
        "Zed until 2025",
        ZED,
        '{"context_servers": {"s": {"source": "custom", "command": {"path": "npx", "args": ["srv"], "env": {}}}}}',
        (
            '{"context_servers": {"s": {"source": "custom", "command": {"path": '
            '"/opt/wm/bin/witnessmark", "args": ["proxy", "--server", "s", "--", "npx", "srv"], "env": {}}}}}'
        ),
    ),
    (
        "OpenCode: one list",
        OPENCODE,
        '{"mcp": {"s": {"type": "local", "command": [\n "npx",\n "srv"], "environment": {}}}}',
        (
            '{"mcp": {"s": {"type": "local", "command": [\n "/opt/wm/bin/witnessmark", "proxy", "--server", "s", "--",\n'
            ' "npx",\n "srv"], "environment": {}}}}'
        ),
    ),
    (
        "OpenCode 2",
        OPENCODE,
        '{"mcp": {"servers": {"s": {"type": "local", "command": ["srv"]}}}}',
        ('{"mcp": {"servers": {"s": {"type": "local", "command": ["/opt/wm/bin/witnessmark", "proxy", "--server", "s", "--", "srv"]}}}}'),
    ),
    (
        "TOML tables",
        CODEX,
        (
            'model = "m" # mine\n\n[mcp_servers.s]\ncommand = \'npx\' # node\nargs = [\n  "-y", # yes\n  "srv",\n]\n'
            '[mcp_servers.s.env]\nT = "x"\n[other]\nargs = 1\n'
        ),
        (
            'model = "m" # mine\n\n[mcp_servers.s]\ncommand = "/opt/wm/bin/witnessmark" # node\nargs = [\n'
            '  "proxy", "--server", "s", "--", \'npx\',\n  "-y", # yes\n  "srv",\n]\n[mcp_servers.s.env]\nT = "x"\n'
            "[other]\nargs = 1\n"
        ),
    ),
    (
        "TOML without arguments, at the end of the file",
        CODEX,
        '[mcp_servers."my server"]\r\n  command = """srv""" # mine',
        (
            '[mcp_servers."my server"]\r\n  command = "/opt/wm/bin/witnessmark" # mine\r\n'
            '  args = ["proxy", "--server=my server", "--", """srv"""]'
        ),
    ),
    (
        "TOML inline tables and dotted names",
        CODEX,
        ('[mcp_servers]\na = { command = "srv" }\nb.command = "srv"\nb.env.T = "x"\nc = { command = "srv", args = ["x"] }\n'),
        (
            '[mcp_servers]\na = { command = "/opt/wm/bin/witnessmark", args = ["proxy", "--server=a", "--", "srv"] }\n'
            'b.command = "/opt/wm/bin/witnessmark"\nb.args = ["proxy", "--server=b", "--", "srv"]\nb.env.T = "x"\n'
            'c = { command = "/opt/wm/bin/witnessmark", args = ["proxy", "--server", "c", "--", "srv", "x"] }\n'
        ),
    ),
    (
        "YAML maps and lists by indentation",
        GOOSE,
        (
            "# mine\nextensions:\n  s:\n    enabled: true\n    cmd: npx  # node\n    args:\n      # first\n      - -y\n"
            "      - 'srv'\n    envs: {T: x}\n  dev: {type: builtin, enabled: true}\n"
        ),
        (
            '# mine\nextensions:\n  s:\n    enabled: true\n    cmd: "/opt/wm/bin/witnessmark"  # node\n    args:\n'
            '      # first\n      - "proxy"\n      - "--server"\n      - "s"\n      - "--"\n      - npx\n      - -y\n'
            "      - 'srv'\n    envs: {T: x}\n  dev: {type: builtin, enabled: true}\n"
        ),
    ),
    (
        "YAML: a list of entries, one without arguments",
        CONTINUE,
        ("mcpServers:\n  - command: srv\n    name: a\n  - {name: b, command: srv}\n  - name: c\n    command: srv\n    args: [x, y]\n"),
        (
            'mcpServers:\n  - command: "/opt/wm/bin/witnessmark"\n    args:\n      - "proxy"\n      - "--server=a"\n'
            '      - "--"\n      - srv\n    name: a\n'
            '  - {name: b, command: "/opt/wm/bin/witnessmark", args: ["proxy", "--server=b", "--", srv]}\n  - name: c\n'
            '    command: "/opt/wm/bin/witnessmark"\n    args: ["proxy", "--server", "c", "--", srv, x, y]\n'
        ),
    ),
    (
        "YAML with Windows line ends",
        LIBRECHAT,
        "version: 1.2.1\r\nmcpServers:\r\n  s:\r\n    type: stdio\r\n    command: npx\r\n    args:\r\n    - -y\r\n",
        (
            'version: 1.2.1\r\nmcpServers:\r\n  s:\r\n    type: stdio\r\n    command: "/opt/wm/bin/witnessmark"\r\n'
            '    args:\r\n    - "proxy"\r\n    - "--server"\r\n    - "s"\r\n    - "--"\r\n    - npx\r\n    - -y\r\n'
        ),
    ),
]


@pytest.mark.parametrize("where,before,after", [row[1:] for row in FILES], ids=[row[0] for row in FILES])
def test_an_entry_is_wrapped_in_place_and_unwrapped_to_the_byte(where: Place, before: str, after: str) -> None:
    done = rewritten(before.encode(), where, WRAP)
    assert done.data.decode() == after
    assert not done.left
    servers = list(entries(document_of(done.data, where.shape), where, Path("/w")))
    assert all(server.watched for server in servers)
    assert [server.launch for server in servers] == [
        server.launch for server in entries(document_of(before.encode(), where.shape), where, Path("/w"))
    ]
    again = rewritten(done.data, where, WRAP)
    assert (again.data, again.changed) == (done.data, ())
    assert {left.reason for left in again.left} == {rewriting.ALREADY}
    assert rewritten(done.data, where, UNWRAP).data.decode() == before


def test_what_somebody_else_changed_meanwhile_stays() -> None:
    before = '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y", "args": ["1"]}}, "theme": "dark"}'
    done = rewritten(before.encode(), CURSOR, WRAP).data.decode()
    moved = done.replace("dark", "light").replace('"1"', '"1", "2"').replace("}}, ", '}, "c": {"command": "z"}}, ')
    expected = '{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y", "args": ["1", "2"]}, "c": {"command": "z"}}, "theme": "light"}'
    assert rewritten(moved.encode(), CURSOR, UNWRAP).data.decode() == expected


def test_a_file_that_its_client_wrote_anew_is_unwrapped_to_the_same_value() -> None:
    import json

    before = {
        "mcpServers": {"a": {"command": "x", "env": {}}, "b": {"command": "y", "args": [], "env": {}}, "c": {"command": "z", "args": ["1"]}}
    }
    wrapped = json.loads(rewritten(json.dumps(before).encode(), CURSOR, WRAP).data)
    for indent in (None, 2):
        anew = json.dumps(wrapped, indent=indent, sort_keys=True).encode()
        assert json.loads(rewritten(anew, CURSOR, UNWRAP).data) == before


def test_a_yaml_file_that_its_client_wrote_anew_is_unwrapped_to_the_same_value() -> None:
    yaml = pytest.importorskip("yaml")
    before = {"extensions": {"a": {"cmd": "x", "args": ["1"]}, "b": {"cmd": "y", "args": []}}}
    wrapped = document_of(rewritten(yaml.safe_dump(before).encode(), GOOSE, WRAP).data, "YAML")
    assert document_of(rewritten(yaml.safe_dump(wrapped).encode(), GOOSE, UNWRAP).data, "YAML") == before


@pytest.mark.parametrize(
    "command",
    [
        '"command": "/elsewhere/witnessmark", "args": ["proxy", "--mode", "enforce", "--server", "s", "--", "npx", "srv"]',
        '"command": "python", "args": ["-m", "witnessmark", "proxy", "--", "npx", "srv"]',
        '"command": "uvx", "args": ["witnessmark", "proxy", "--redact", "--transcript", "t", "--", "npx", "srv"]',
        '"command": "C:\\\\Tools\\\\witnessmark.exe", "args": ["proxy", "npx", "srv"]',
    ],
)
def test_an_entry_that_was_wrapped_by_hand_is_not_wrapped_twice_and_is_unwrapped(command: str) -> None:
    text = f'{{"mcpServers": {{"s": {{{command}, "env": {{}}}}}}}}'
    assert rewritten(text.encode(), CURSOR, WRAP).left == (Left("s", "", rewriting.ALREADY),)
    assert rewritten(text.encode(), CURSOR, UNWRAP).data == b'{"mcpServers": {"s": {"command": "npx", "args": ["srv"], "env": {}}}}'


@pytest.mark.parametrize(
    "where,text,reason",
    [
        (CURSOR, '{"mcpServers": {"s": {"url": "https://h/mcp"}}}', rewriting.REMOTE),
        (CURSOR, '{"mcpServers": {"s": {"serverUrl": "https://h/mcp"}}}', rewriting.REMOTE),
        (CURSOR, '{"mcpServers": {"s": {"url": "https://h/mcp", "command": "x"}}}', rewriting.BOTH),
        (CURSOR, '{"mcpServers": {"s": {"command": "x", "disabled": true}}}', rewriting.SWITCHED_OFF),
        (OPENCODE, '{"mcp": {"s": {"command": ["x"], "enabled": false}}}', rewriting.SWITCHED_OFF),
        (CURSOR, '{"mcpServers": {"s": {"command": "npx -y srv"}}}', rewriting.SHELL_LINE),
        (CURSOR, '{"mcpServers": {"s": {"command": "/opt/a b/gone"}}}', rewriting.SHELL_LINE),
        (CURSOR, '{"mcpServers": {"s": {"command": "~/bin/x"}}}', rewriting.HOME_SIGN),
        (CURSOR, '{"mcpServers": {"s": {}}}', "has no command"),
        (CURSOR, '{"mcpServers": {"s": {"command": 7}}}', rewriting.UNKNOWN),
        (CURSOR, '{"mcpServers": {"s": {"command": "x", "args": "y"}}}', rewriting.UNKNOWN),
        (OPENCODE, '{"mcp": {"s": {"command": [7]}}}', rewriting.UNKNOWN),
        (CURSOR, '{"mcpServers": {"a\\u0000": {"command": "x"}}}', rewriting.NO_NAME),
        (CURSOR, '{"mcpServers": {"\\ud800": {"command": "x"}}}', rewriting.NO_NAME),
        (CURSOR, '{"mcpServers": {"s": {"command": "x", "command": "y"}}}', "its member 'command' stands twice in the file"),
        (CURSOR, '{"mcpServers": {"s": {"command": "x"}, "s": {"command": "y"}}}', "its member 's' stands twice in the file"),
        (CURSOR, '{"mcpServers": {}, "mcpServers": {"s": {"command": "y"}}}', "its member 'mcpServers' stands twice in the file"),
        (GOOSE, "extensions:\n  s:\n    cmd: >-\n      npx\n    args: [x]\n", "its command is written over several lines, or by reference"),
        (GOOSE, "a: &a [x]\nextensions:\n  s:\n    cmd: x\n    args: *a\n", rewriting.NOT_EXACT),
        (GOOSE, "a: &a {cmd: x}\nextensions:\n  s:\n    <<: *a\n", "it is put together from several places of the file"),
    ],
)
def test_an_entry_that_cannot_be_wrapped_is_left_alone_with_the_reason(where: Place, text: str, reason: str) -> None:
    done = rewritten(text.encode(), where, WRAP)
    assert (done.data, done.changed) == (text.encode(), ())
    assert [left.reason for left in done.left] == [reason]


def test_one_entry_that_cannot_be_wrapped_keeps_no_other_from_it() -> None:
    text = '{"mcpServers": {"s": {"command": "x", "command": "y"}, "t": {"command": "z"}}}'
    done = rewritten(text.encode(), CURSOR, WRAP)
    assert ([one.name for one in done.changed], [one.name for one in done.left]) == (["t"], ["s"])
    assert rewritten(done.data, CURSOR, UNWRAP).data == text.encode()


def test_two_entries_that_share_one_text_are_not_both_rewritten() -> None:
    text = "extensions:\n  a: &a {cmd: x}\n  b: *a\n"
    done = rewritten(text.encode(), GOOSE, WRAP)
    assert done.data == text.encode()
    assert {one.name for one in done.left} == {"a", "b"}


@pytest.mark.parametrize(
    "text,reason",
    [
        ('{"mcpServers": {"s": {"command": "witnessmark", "args": ["proxy", "--server", "s"]}}}', rewriting.NO_COMMAND_BEHIND),
        ('{"mcpServers": {"s": {"command": "witnessmark", "args": ["proxy", "--", "https://h/mcp"]}}}', rewriting.URL_BEHIND),
    ],
)
def test_what_has_no_command_behind_it_is_not_unwrapped(text: str, reason: str) -> None:
    done = rewritten(text.encode(), CURSOR, UNWRAP)
    assert (done.data, [left.reason for left in done.left]) == (text.encode(), [reason])


@pytest.mark.parametrize(
    "shape,data",
    [
        (COMMENTS, b'<<<<<<< HEAD\n{"mcpServers": {}}\n=======\n{}\n>>>>>>> theirs\n'),
        (STRICT, b'{"mcpServers": {"s": {"command": "x"},}}'),
        (COMMENTS, b'{"mcpServers": {"s": {"command": "x"'),
        (COMMENTS, b"\xff\xfe{\x00}\x00"),
        (COMMENTS, b'{"a": ' + b"[" * 200_000),
        (COMMENTS, b" " * ((16 << 20) + 1)),
        ("TOML", b"[mcp_servers\n"),
        ("YAML", b"<<<<<<< HEAD\na: 1\n=======\n"),
        ("YAML", b"a: [\n"),
    ],
)
def test_a_file_that_is_not_what_its_client_writes_is_refused(shape: Shape, data: bytes) -> None:
    with pytest.raises(Unreadable):
        rewritten(data, place("Cursor", shape, "mcpServers"), WRAP)


@pytest.mark.parametrize("data", [b"", b"[]", b"7", b'{"mcpServers": []}', b'{"mcpServers": {"s": 7}}', b'{"mcpServers": null}'])
def test_a_file_without_servers_is_left_as_it_is(data: bytes) -> None:
    assert rewritten(data, CURSOR, WRAP) == (data, (), ())


def test_what_would_cost_more_than_a_file_is_worth_is_refused_or_left_alone() -> None:
    many = ", ".join(f'"s{number}": {{"command": "x"}}' for number in range(rewriting.MAX_SERVERS + 1))
    with pytest.raises(Unreadable, match="more than 500 servers"):
        rewritten(f'{{"mcpServers": {{{many}}}}}'.encode(), CURSOR, WRAP)
    bombs = ["a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)), "a: &a [*a]\n"]
    for bomb, reason in zip(bombs, ("references counted", "refers to itself"), strict=True):
        done = rewritten(f"{bomb}extensions:\n  s: {{cmd: x}}\n".encode(), GOOSE, WRAP)
        assert (done.changed, reason in done.left[0].reason) == ((), True)
    tables = "".join(f"[t{number}]\n" for number in range(10_000)) + '[mcp_servers.s]\ncommand = "x"\n'
    assert rewritten(tables.encode(), CODEX, WRAP).changed


@pytest.mark.parametrize(
    "words,shown",
    [
        (["npx", "-y", "srv", "/home/me/x", "C:\\x"], None),
        (["docker", "run", "-e", "TOKEN", "-e", "FOO=canary", "img:1"], ["docker", "run", "-e", "TOKEN", "-e", "FOO=***", "img:1"]),
        (["docker", "--env=FOO=canary", "-eBAR=canary"], ["docker", "--env=***", "-eBAR=***"]),
        (["srv", "--api-key", "canary", "--port", "1"], ["srv", "--api-key", "***", "--port", "1"]),
        (["srv", "--api-key=canary", "password=canary"], ["srv", "--api-key=***", "password=***"]),
        (["mcp-remote", "https://u:canary@h/mcp?k=canary", "--header", "X: canary"], ["mcp-remote", "https://h/mcp", "--header", "X:***"]),
        (["srv", "postgresql://me:canary@h/db"], ["srv", "postgresql://***@h/db"]),
        (["env", "FOO=canary", "srv"], ["env", "FOO=***", "srv"]),
        (["sh", "-c", "cd /x && FOO=canary srv"], ["sh", "-c", "***"]),
        (["srv", "ghp_0123456789abcdefghij0123"], ["srv", "***"]),
    ],
)
def test_what_is_secret_in_arguments_is_masked(words: list[str], shown: list[str] | None) -> None:
    assert masked(words) == (words if shown is None else shown)


def test_a_large_file_of_claude_code_is_passed_over_by_its_brackets() -> None:
    history = ", ".join(f'"/w/{number}": {{"history": ["{{[ \\" // {number}"], "n": {number}}}' for number in range(20_000))
    text = f'{{"projects": {{{history}}}, "mcpServers": {{"s": {{"command": "x", "args": ["y"]}}}}}}'
    done = rewritten(text.encode(), CLAUDE, WRAP)
    assert (
        done.data
        == text.replace('"x"', '"/opt/wm/bin/witnessmark"').replace('["y"]', '["proxy", "--server", "s", "--", "x", "y"]').encode()
    )


SAMPLES: dict[str, str] = {
    "mcpServers": '{"mcpServers": {"s": {"command": "npx", "args": ["-y", "srv"]}}}',
    "servers": '{"servers": {"s": {"type": "stdio", "command": "npx", "args": ["-y", "srv"]}}, "inputs": []}',
    "context_servers": '{"context_servers": {"s": {"command": "npx", "args": ["-y", "srv"]}}}',
    "mcp": '{"mcp": {"s": {"type": "local", "command": ["npx", "-y", "srv"]}}}',
    "mcp_servers": '[mcp_servers.s]\ncommand = "npx"\nargs = ["-y", "srv"]\n',
    "extensions": "extensions:\n  s:\n    type: stdio\n    cmd: npx\n    args: [-y, srv]\n",
    "list": "mcpServers:\n  - name: s\n    command: npx\n    args:\n      - -y\n      - srv\n",
}


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_every_file_that_servers_looks_at_can_be_wrapped(tmp_path: Path, platform: str) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    environment = {"APPDATA": str(home / "Roaming"), "LOCALAPPDATA": str(home / "Local")} if platform == "win32" else {}
    for path in (".continue/mcpServers/a.yaml", ".continue/mcpServers/b.json"):  # found by what is there
        for folder in (home, work):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text("", encoding="utf-8")
    (home / "Local" / "Packages" / "Claude_x").mkdir(parents=True)
    known = places(home, work, environment, platform)
    assert len({one.client.split(" (")[0] for one in known}) >= 17
    for one in known:
        sample = SAMPLES["list" if one.shape == "YAML" and one.client.startswith("Continue") else one.key]
        if one.shape == "YAML" and one.client == "LibreChat":
            sample = SAMPLES["extensions"].replace("extensions", "mcpServers").replace("cmd", "command")
        done = rewritten(sample.encode(), one, WRAP)
        (server,) = entries(document_of(done.data, one.shape), one, work)
        assert (server.watched, server.launch.command) == (True, ("npx", "-y", "srv")), one
        assert rewritten(done.data, one, UNWRAP).data == sample.encode()
