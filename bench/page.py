"""The table of budgets in docs/performance.md, from the results that are committed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from bench.figures import Figure, Results, number
from bench.machine import ROOT

RESULTS: Final = ROOT / "bench" / "results"
PAGE: Final = ROOT / "docs" / "performance.md"
BEGIN: Final = "<!-- figures: written by `python -m bench page --write` -->\n"
END: Final = "<!-- end of figures -->\n"


def newest_first(results: Path = RESULTS) -> list[Results]:
    """All committed results, by the date in them."""
    found = [msgspec.json.decode(path.read_bytes(), type=Results) for path in results.glob("bench-*.json")]
    return sorted(found, key=lambda one: str(one.machine["date"]), reverse=True)


def table() -> str:
    """Every figure that has a budget: each part of the newest run that measured it, with the machine of that run."""
    shown: set[str] = set()
    sections: list[str] = []
    for results in newest_first():
        rows = [one for one in results.figures if one.budget is not None and one.part not in shown]
        if rows:
            sections.append(_measured(results) + "".join(_row(one) for one in rows))
        shown |= {one.part for one in results.figures}
    return "\n".join(sections) or "No figures are committed.\n"


def _measured(results: Results) -> str:
    machine = results.machine
    return (
        f"Measured {machine['date']} at revision {machine['revision']} on {machine['cores']} cores of {machine['model']}, "
        f"{machine['kernel']}, Python {machine['python']}, SQLite {machine['sqlite']}, {machine['file_system']}; load average "
        f"{machine['load_before']} before and {machine['load_after']} after, by `{results.command}`.\n\n"
        "| what | figure | median (lowest to highest round) | budget | |\n| --- | --- | --- | --- | --- |\n"
    )


def _row(one: Figure) -> str:
    assert one.budget is not None
    spread = f" ({number(one.low)} to {number(one.high)})" if one.rounds > 1 and one.low is not None and one.high is not None else ""
    met = "met" if one.met else "**missed**"
    return f"| {one.part} | {one.name} | {number(one.value)} {one.unit}{spread} | {one.budget.sense} {number(one.budget.limit)} | {met} |\n"


def write() -> None:
    """Put the table between its two marks in the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")
