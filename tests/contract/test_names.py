from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark.contract.names import PREFIX_STYLES, NameMap, match_name

LONG = "export_every_record_of_the_archive_to_one_file_per_month_and_year"  # 65 characters
WIRE = ["read", "list.all/users", "a-b", LONG]


@pytest.mark.parametrize(
    "shown, wire",
    [
        ("read", "read"),
        ("mcp__files__read", "read"),
        ("mcp__files.read", "read"),
        ("mcp_files_read", "read"),
        ("files__read", "read"),
        ("files_read", "read"),
        ("files-read", "read"),
        ("files.read", "read"),
        ("mcp__files__list_all_users", "list.all/users"),
        ("mcp_files_list.all_users", "list.all/users"),
        ("files-list-all-users", "list.all/users"),
        ("list.all-users", "list.all/users"),
        ("files__list_all_users_0e26405a", "list.all/users"),
        ("mcp__files.a_b", "a-b"),
        ("mcp__files__a-b", "a-b"),
        (LONG, LONG),
        (LONG[:64], LONG),
        (f"files-{LONG}"[:64], LONG),
        (f"files__{LONG}"[:55] + "_c3db6108", LONG),
        (f"mcp_files_{LONG}"[:30] + "..." + LONG[-30:], LONG),
        ("other__read", None),
        ("reads", None),
        ("read_cafe", None),
        ("mcp__files__", None),
        ("", None),
    ],
)
def test_a_shown_name_is_traced_to_the_one_wire_name_it_can_come_from(shown: str, wire: str | None) -> None:
    assert match_name(shown, WIRE, "files") == wire


@pytest.mark.parametrize(
    "shown, wires, server",
    [
        ("s__a_b", ["a.b", "a/b"], "s"),
        ("a_b", ["a.b", "a_b"], "s"),
        ("git_log", ["log", "git_log"], "git"),
        (("s-" + LONG)[:64], [LONG + "1", LONG + "2"], "s"),
    ],
)
def test_a_name_that_two_tools_could_have_is_nobodys(shown: str, wires: list[str], server: str) -> None:
    assert match_name(shown, wires, server) is None


@pytest.mark.parametrize(
    "shown, wires, server, expected",
    [
        (["git_log", "git_git_log"], ["log", "git_log"], "git", ["log", "git_log"]),
        (["log", "git_log"], ["log", "git_log"], "git", ["log", "git_log"]),
        (["a_b", "a.b"], ["a.b", "a_b"], "s", ["a_b", "a.b"]),
        (["git_status", "web_search"], ["git_status"], "git", ["git_status", None]),
        (["a_b"], ["a.b", "a_b"], "s", [None]),
        (["git_log"], ["log", "git_log"], "git", [None]),
        ([], ["a"], "s", []),
    ],
)
def test_names_of_one_request_are_read_by_the_style_that_explains_most_of_them(
    shown: list[str], wires: list[str], server: str, expected: list[str | None]
) -> None:
    assert NameMap(wires, server).wire_names(shown) == dict(zip(shown, expected, strict=True))


@pytest.mark.parametrize(
    "shown, wire",
    [("mcp__any__read", "read"), ("any__read", "read"), ("mcp__any.a_b", "a-b"), ("any_read", None), ("any.read", None)],
)
def test_without_a_server_name_only_a_double_underscore_shows_a_prefix(shown: str, wire: str | None) -> None:
    assert match_name(shown, WIRE) == wire


tool_names = st.text("abA0_-./ \u00e9", min_size=1, max_size=80)


@given(st.lists(tool_names, min_size=1, max_size=5, unique=True), st.text("sS0-_.", min_size=1, max_size=6), st.sampled_from(PREFIX_STYLES))
def test_a_prefixed_name_is_traced_back_or_nobodys_and_never_anothers(wires: list[str], server: str, style: str) -> None:
    names = NameMap(wires, server)
    for wire in wires:
        assert names.wire_name(style.format(server) + wire) in (wire, None)
