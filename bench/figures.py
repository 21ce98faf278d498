"""One measured figure, its budget, and tables of them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

import msgspec

FORMAT: Final = "bench/1"


class Budget(msgspec.Struct, frozen=True):
    """What the project allows itself, in the unit of the figure."""

    sense: Literal["at most", "at least"]
    limit: float

    def met(self, value: float) -> bool:
        return value <= self.limit if self.sense == "at most" else value >= self.limit


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """The median over `rounds` rounds, with the lowest and the highest round."""

    part: str
    name: str
    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    rounds: int = 1
    budget: Budget | None = None
    note: str = ""

    @property
    def met(self) -> bool | None:
        return None if self.budget is None else self.budget.met(self.value)


def at_most(limit: float) -> Budget:
    return Budget("at most", limit)


def at_least(limit: float) -> Budget:
    return Budget("at least", limit)


def figure(part: str, name: str, rounds: Sequence[float], unit: str, *, budget: Budget | None = None, note: str = "") -> Figure:
    """The figure of the values of all rounds. ValueError where there is none."""
    if not rounds:
        raise ValueError(f"no round of {part} / {name} gave a value")
    return Figure(part, name, statistics.median(rounds), unit, min(rounds), max(rounds), len(rounds), budget, note)


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` of the ordered values lie (nearest rank)."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


class Results(msgspec.Struct, frozen=True):
    """One run of the benches: where, when and with what it ran, and what came out."""

    format: str
    command: str
    machine: dict[str, Any]
    figures: list[Figure]
    notes: list[str] = []


def number(value: float) -> str:
    """The value with three significant digits, thousands apart."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    if size >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}"


def _row(one: Figure) -> list[str]:
    spread = f"{number(one.low)} to {number(one.high)}" if one.low is not None and one.high is not None and one.rounds > 1 else ""
    budget = f"{one.budget.sense} {number(one.budget.limit)}" if one.budget else ""
    verdict = {None: "", True: "met", False: "**missed**"}[one.met]
    return [one.name, f"{number(one.value)} {one.unit}", spread, str(one.rounds), budget, verdict, one.note]


_HEAD: Final = ["figure", "median", "rounds from to", "rounds", "budget", "", "note"]


def table(figures: Iterable[Figure]) -> str:
    """The figures as a Markdown table."""
    rows = [_HEAD, ["---"] * len(_HEAD), *(_row(one) for one in figures)]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in rows)


def machine_lines(machine: dict[str, Any]) -> str:
    """The machine's description as a Markdown list."""
    return "".join(f"- {name.replace('_', ' ')}: {value}\n" for name, value in machine.items())


def document(results: Results) -> str:
    """The whole run as Markdown: machine, then one table for each part."""
    parts = dict.fromkeys(one.part for one in results.figures)
    text = f"# Bench figures\n\nWritten by `{results.command}`.\n\n{machine_lines(results.machine)}"
    for note in results.notes:
        text += f"\n{note}\n"
    for part in parts:
        text += f"\n## {part}\n\n{table(one for one in results.figures if one.part == part)}"
    return text
