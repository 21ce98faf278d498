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


def latest(results: Path = RESULTS) -> Results | None:
    """The newest results by the date in them; None where there are none."""
    found = [msgspec.json.decode(path.read_bytes(), type=Results) for path in results.glob("bench-*.json")]
    return max(found, key=lambda one: str(one.machine["date"]), default=None)


def table() -> str:
    """Every figure that has a budget, with the machine that it was measured on."""
    results = latest()
    if results is None:
        return "No figures are committed.\n"
    machine = results.machine
    text = (
        f"Measured {machine['date']} at revision {machine['revision']} on {machine['cores']} cores of {machine['model']}, "
        f"{machine['kernel']}, Python {machine['python']}, SQLite {machine['sqlite']}, {machine['file_system']}; load average "
        f"{machine['load_before']} before and {machine['load_after']} after, by `{results.command}`.\n\n"
        "| what | figure | median (lowest to highest round) | budget | |\n| --- | --- | --- | --- | --- |\n"
    )
    return text + "".join(_row(one) for one in results.figures if one.budget is not None)


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
