"""`witnessmark doctor`: what is installed, reachable and writable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from witnessmark.cli.options import format_option, store_option

if TYPE_CHECKING:
    from witnessmark.adapters.surroundings import Check

MARKS = {"ok": "+", "note": "?", "bad": "x"}


@click.command()
@store_option
@format_option
def doctor(*, store: str | None, form: str) -> int:
    """Say what is installed, reachable and writable, and which clients and servers are seen here.

    Nothing is made or changed, and no value of an environment, a header or an argument is read out of a client's
    configuration. Exit code: 0, or 1 if something must be mended before evidence can be kept.
    """
    from witnessmark.adapters.surroundings import checks
    from witnessmark.render.jsonout import dumps

    found = checks(store)
    code = 1 if any(check.status == "bad" for check in found) else 0
    click.echo(dumps(_document(found, code)) if form == "json" else _text(found))
    return code


def _document(found: list[Check], code: int) -> dict[str, Any]:
    return {
        "witnessmark": "doctor/1",
        "exit": code,
        "checks": [
            {"area": check.area, "subject": check.subject, "status": check.status, "found": check.found, "hint": _hint(check)}
            for check in found
        ],
    }


def _hint(check: Check) -> str | None:
    return check.hint if check.status != "ok" and check.hint else None


def _text(found: list[Check]) -> str:
    from witnessmark.render.escape import line

    lines: list[str] = []
    area = ""
    for check in found:
        if check.area != area:
            area = check.area
            lines += ["", area] if lines else [area]
        lines.append(f"  [{MARKS[check.status]}] {line(check.subject)}: {line(check.found)}")
        hint = _hint(check)
        if hint:
            lines.append(f"      {line(hint)}")
    lines += ["", "  + as it must be   ? worth knowing   x must be mended"]
    return "\n".join(lines)
