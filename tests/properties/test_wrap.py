"""Whatever a client's file looks like: only the meant characters change, and taking the proxy out gives the old bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from witnessmark.adapters.client_files_places import COMMENTS, Place, Shape
from witnessmark.adapters.client_files_text import Unreadable, document_of
from witnessmark.adapters.wrap.difference import difference
from witnessmark.adapters.wrap.edits import Ours
from witnessmark.adapters.wrap.rewriting import Change, rewritten

WRAP, UNWRAP = Change(Ours(("/opt/wm/witnessmark",)), lambda _: False), Change(None)
SECRET = "canary-5e19"
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=8)
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp", "Cf")), min_size=1, max_size=6)
PROGRAMS = st.from_regex(r"[a-z/.\\:-][a-z0-9/._\\:-]{0,8}", fullmatch=True)
ENDS = st.sampled_from(["\n", "\r\n"])


def place(shape: Shape) -> Place:
    return Place("Cursor", Path("/f"), "servers", shape)


@st.composite
def blanks(draw: st.DrawFn, *, comments: bool = True) -> str:
    pieces = [" ", "\t", "\n", "\r\n"] + (['// c, ]}"\n', '/* { [ " , */'] if comments else [])
    return "".join(draw(st.lists(st.sampled_from(pieces), max_size=3)))


@st.composite
def jsonc(draw: st.DrawFn, value: Any) -> str:
    """The value as JSON with comments and trailing commas, written in some way."""
    gap = blanks()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    if not isinstance(value, dict | list):
        return json.dumps(value)
    parts: list[str] = []
    for key in value if isinstance(value, dict) else range(len(value)):
        named = f"{json.dumps(key, ensure_ascii=draw(st.booleans()))}{draw(gap)}:" if isinstance(key, str) else ""
        parts.append(f"{draw(gap)}{named}{draw(gap)}{draw(jsonc(value[key]))}{draw(gap)}")
    trailing = [draw(gap)] if not parts or draw(st.booleans()) else []
    inner = ",".join((*parts, *trailing))
    return f"{{{inner}}}" if isinstance(value, dict) else f"[{inner}]"


OTHERS = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def entries(draw: st.DrawFn) -> dict[str, Any]:
    """An entry, its members in any order."""
    entry: dict[str, Any] = {"command": draw(PROGRAMS)}
    if draw(st.booleans()):
        entry["args"] = draw(st.lists(WORDS, max_size=3))
    if draw(st.booleans()):
        entry["env"] = {"T": SECRET}
    if draw(st.booleans()):
        entry["timeout"] = draw(OTHERS)
    return {key: entry[key] for key in draw(st.permutations(list(entry)))}


DOCUMENTS = st.fixed_dictionaries({"servers": st.dictionaries(NAMES, entries(), max_size=3)}, optional={"a": OTHERS, "z": OTHERS})


def holds(data: bytes, where: Place) -> None:
    """What must hold for every file; `data` is one that its client could have written."""
    done = rewritten(data, where, WRAP)
    assert rewritten(done.data, where, UNWRAP).data == data
    assert rewritten(done.data, where, WRAP).data == done.data
    before, after = document_of(data, where.shape), document_of(done.data, where.shape)
    for one in done.changed:
        entry, was = after["servers"][one.name], before["servers"][one.name]
        assert entry["command"] == "/opt/wm/witnessmark"
        assert entry["args"][entry["args"].index("--") + 1 :] == [was["command"], *was.get("args", [])]
        entry["command"] = was["command"]
        entry.pop("args")
        was.pop("args", None)
    assert after == before, "nothing else of the value changed"
    assert SECRET not in "\n".join(difference(where, data, done))


@given(st.data(), DOCUMENTS)
def test_json_with_comments(data: st.DataObject, document: dict[str, Any]) -> None:
    mark = data.draw(st.sampled_from(["", "\ufeff"]))
    text = mark + data.draw(blanks()) + data.draw(jsonc(document)) + data.draw(blanks())
    where = place(COMMENTS)
    holds(text.encode(), where)
    names = {one.name for one in rewritten(text.encode(), where, WRAP).changed}
    assert names == {name for name, entry in document["servers"].items() if not entry["command"].startswith("~")}, (
        "no way of writing is left out"
    )


@given(st.data(), st.dictionaries(st.from_regex(r"[A-Za-z0-9_-]{1,6}", fullmatch=True), entries(), max_size=3), ENDS)
def test_toml(data: st.DataObject, servers: dict[str, dict[str, Any]], end: str) -> None:
    lines = ["# mine [", 'model = "x" # y']
    for name, entry in servers.items():
        lines += ["", f"[servers.{name}] # {name}"]
        for key, value in entry.items():
            if key == "env":
                lines.append(f'env = {{ T = "{SECRET}" }}')
            elif key == "command":
                quoted = st.sampled_from([json.dumps(value), f"'{value}'"])
                lines.append(f"  command = {data.draw(quoted)} # c")
            elif key == "args":
                gap = data.draw(st.sampled_from(["", " ", end + "  ", f" # c{end} "]))
                items = "".join(f"{gap}{json.dumps(one, ensure_ascii=False)}," for one in value)
                lines.append(f"args = [{items}{gap}]")
    holds(end.join(lines).encode(), place("TOML"))


@given(st.data(), st.dictionaries(st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,5}", fullmatch=True), entries(), max_size=3), ENDS)
def test_yaml(data: st.DataObject, servers: dict[str, dict[str, Any]], end: str) -> None:
    lines = ["# mine", "servers:" if servers else "servers: {}"]
    for name, entry in servers.items():
        lines.append(f"  {json.dumps(name)}:  # {name}")
        for key, value in entry.items():
            if key == "env":
                lines.append(f"    env: {{T: {SECRET}}}")
            elif key == "command":
                lines.append(f"    command: {json.dumps(value)}  # c")
            elif key == "args":
                texts = [json.dumps(one, ensure_ascii=False) for one in value]
                flow = data.draw(st.booleans()) or not texts
                indent = data.draw(st.sampled_from(["    ", "      "]))
                lines += [f"    args: [{', '.join(texts)}]"] if flow else ["    args:", *(f"{indent}- {one}" for one in texts)]
    text = (end.join(lines) + data.draw(st.sampled_from(["", end]))).encode()
    try:
        document_of(text, "YAML")
    except Unreadable:
        assume(condition=False)  # YAML has characters that may not stand in it
    holds(text, place("YAML"))


@given(
    st.binary(max_size=60) | st.text('{}[]",:/*\\ \n-#=seargvcomn', max_size=60).map(str.encode),
    st.sampled_from([COMMENTS, "TOML", "YAML"]),
)
def test_whatever_the_bytes_are_they_are_refused_or_given_back(data: bytes, shape: Shape) -> None:
    try:
        done = rewritten(data, place(shape), WRAP)
    except Unreadable:
        return
    assert rewritten(done.data, place(shape), UNWRAP).data == data
