"""docs/commands.md and docs/policy.md name everything that the program takes, and nothing that it does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from witnessmark.cli.main import COMMANDS, cli
from witnessmark.model.policy import DURATIONS, Policy, read_policy

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS_PAGE = (DOCS / "commands.md").read_text(encoding="utf-8")
POLICY_PAGE = (DOCS / "policy.md").read_text(encoding="utf-8")


def every_command() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None, name
        yield f"witnessmark {name}", command
        if isinstance(command, click.Group):
            for inner in command.list_commands(context):
                found = command.get_command(context, inner)
                assert found is not None
                yield f"witnessmark {name} {inner}", found


EVERY = dict(every_command())


def section(title: str) -> str:
    """The text about a command: its own section, or the one of its group."""
    for heading in (title, title.rsplit(" ", 1)[0]):
        found = re.search(rf"^##+ {re.escape(heading)}\n(.*?)(?=^## |\Z)", COMMANDS_PAGE, re.MULTILINE | re.DOTALL)
        if found is not None:
            return found[1]
    raise AssertionError(f"docs/commands.md has no section on {title!r}")


@pytest.mark.parametrize("title", EVERY)
def test_every_option_of_a_command_is_on_its_page(title: str) -> None:
    text = section(title)
    assert title in COMMANDS_PAGE
    for parameter in EVERY[title].params:
        if isinstance(parameter, click.Option):
            for spelling in parameter.opts:
                assert f"`{spelling}`" in text, f"{title} {spelling} is not described"


def test_the_page_names_no_option_that_no_command_has() -> None:
    known = {spelling for command in EVERY.values() for parameter in command.params for spelling in parameter.opts}
    known |= {spelling for parameter in cli.params for spelling in parameter.opts} | {"--help"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", COMMANDS_PAGE)) <= known


def test_the_page_names_no_command_that_is_not_there() -> None:
    assert set(re.findall(r"^##+ (witnessmark .*)$", COMMANDS_PAGE, re.MULTILINE)) <= EVERY.keys()


@pytest.mark.parametrize("title", EVERY)
def test_every_command_says_what_it_does(title: str) -> None:
    help_text = EVERY[title].help
    assert help_text
    assert help_text[0].isupper()
    for parameter in EVERY[title].params:
        assert not isinstance(parameter, click.Option) or parameter.help, f"{title} {parameter.name} has no help"


def rows() -> dict[str, str]:
    return dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", POLICY_PAGE, re.MULTILINE))


def test_every_member_of_the_policy_is_on_its_page_with_its_default() -> None:
    expected = {}
    for field in Policy.__struct_fields__:
        default = getattr(Policy(), field)
        name = field.removesuffix("_s")
        if name in DURATIONS:
            expected[name] = f"{default:g} s"
        else:
            expected[field] = f'`"{default}"`' if isinstance(default, str) else "`[]`"
            assert isinstance(default, str) or default == ()
    assert rows() == expected


def test_the_example_of_the_page_is_a_policy() -> None:
    import tomllib

    example = "".join(line.removeprefix("    ") + "\n" for line in POLICY_PAGE.splitlines() if line.startswith("    "))
    policy = read_policy(tomllib.loads(example), "policy.md")
    assert (policy.max_age_s, policy.absolute_s, policy.read_only_tools) == (300.0, 1800.0, ("tickets/read_ticket",))


# --- docs/transcript.md ----------------------------------------------------------------------------------------------

TRANSCRIPT_PAGE = (DOCS / "transcript.md").read_text(encoding="utf-8")


def test_every_member_of_a_frame_is_on_the_page_with_who_may_bring_it() -> None:
    from witnessmark.observe.frames import ALLOWED, SENDERS, Frame

    frames = TRANSCRIPT_PAGE.partition("## Receipts")[0]
    found = {
        member: set(re.findall(r"`(\w+)`", who)) or set(SENDERS)
        for member, who in re.findall(r"^\| `(\w+)` \| (.*?) \|", frames, re.MULTILINE)
    }
    table = {member: found[member] for member in ALLOWED}
    assert table == {member: set(senders) for member, senders in ALLOWED.items()}
    members = {"from" if member == "sender" else member for member in Frame.__struct_fields__}
    assert members == set(found)


@pytest.mark.parametrize("kind", ["installed", "declare", "expect", "effect", "outcome"])
def test_every_member_of_a_receipt_is_on_the_page(kind: str) -> None:
    from witnessmark.observe import receipts

    record = getattr(receipts, f"_{kind.capitalize()}")
    row = next(line for line in reversed(TRANSCRIPT_PAGE.splitlines()) if line.startswith(f"| `{kind}` |"))
    assert all(f"`{member}`" in row for member in record.__struct_fields__)


def test_the_example_of_the_page_is_a_transcript() -> None:
    from witnessmark.observe.transcript import read_transcript

    lines = [line.removeprefix("    ").encode() + b"\n" for line in TRANSCRIPT_PAGE.splitlines() if line.startswith("    {")]
    kinds = [event.fact.KIND for event in read_transcript(lines, "page")]
    assert "catalog.page" in kinds
    assert "evidence.gap" not in kinds
