"""`witnessmark verify FILE`: whether an exported log is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from witnessmark.cli.options import format_option

if TYPE_CHECKING:
    from witnessmark.adapters.log_check import Finding, LogCheck, SessionCheck

EXITS: Final[dict[Finding, int]] = {"intact": 0, "damaged": 1, "not closed": 3}


@click.command()
@click.argument("file")
@format_option
def verify(*, file: str, form: str) -> int:
    """Verify an exported evidence log: hash chain, holes, count and head.

    Exit code: 0 intact, 1 damaged, 3 not closed (what there is holds together, and its end may be missing).
    An intact chain shows that nothing was changed since its head was known; whoever can write the whole store can also
    write another chain.
    """
    from witnessmark.adapters.input_files import opened
    from witnessmark.adapters.log_check import check_log, logged_file
    from witnessmark.render.jsonout import dumps

    with opened(file) as (stream, name):
        check = check_log(logged_file(stream, name))
    click.echo(dumps(_document(check, name)) if form == "json" else _text(check, name))
    return EXITS[check.finding]


def _document(check: LogCheck, name: str) -> dict[str, Any]:
    return {
        "witnessmark": "verify/1",
        "source": name,
        "finding": check.finding,
        "truncated_line": check.truncated_line,
        "sessions": [_session_document(session) for session in check.sessions],
        "exit": EXITS[check.finding],
    }


def _session_document(session: SessionCheck) -> dict[str, Any]:
    return {
        "source": session.source,
        "session": session.session,
        "run": session.run,
        "finding": session.finding,
        "events": session.events,
        "head": session.head,
        "first": _time(session.first_us),
        "last": _time(session.last_us),
        "closed": session.closed,
        "attested": _time(session.attested_us),
        "gaps": session.gaps,
        "damage": session.damage,
        "problems": session.problems,
    }


def _time(time_us: int | None) -> str | None:
    from witnessmark.render.times import rfc3339

    return None if time_us is None else rfc3339(time_us)


def _text(check: LogCheck, source: str) -> str:
    from witnessmark.render.escape import name
    from witnessmark.render.table import table

    lines = [f"{check.finding}  {name(source, 200)}"]
    rows = [
        (
            session.finding,
            name(session.source),
            name(session.session),
            str(session.events),
            session.head[:16],
            str(session.gaps or ""),
        )
        for session in check.sessions
    ]
    lines += table(("finding", "source", "session", "events", "head", "gaps"), rows, right=frozenset((3, 5)), indent="  ")
    for session in check.sessions:
        lines += [f"  {name(session.session)}: {problem}" for problem in session.problems]
        if session.damage > len(session.problems):
            lines.append(f"  {name(session.session)}: and {session.damage - len(session.problems)} more")
    if check.truncated_line is not None:
        lines.append(f"  line {check.truncated_line}: the last line is cut")
    if check.finding == "not closed":
        lines.append("  what is here holds together; whether more followed cannot be told: no close, or no event at all")
    return "\n".join(lines)
