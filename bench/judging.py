"""`witnessmark judge` on long transcripts, as a subprocess: frames a second, and memory that does not grow."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bench.figures import Figure, at_least, at_most, figure
from bench.processes import Ran, run, witnessmark
from bench.transcripts import Expected, Kind, write_transcript

PART: Final = "judging a transcript"
RATE_BUDGET: Final = at_least(20_000)
MEMORY_BUDGET: Final = at_most(80)
FLAT_BUDGET: Final = at_most(1.15)
"""Peak memory of the longest transcript over that of the next shorter one: flat, with room for what the allocator keeps."""

EXIT: Final = {"healthy": 0, "unproven": 3}


def _checked(ran: Ran, expected: Expected) -> Ran:
    """The same, if the verdict is the one that the transcript was made for."""
    document: dict[str, Any] = json.loads(ran.out)
    said = (ran.code, document["state"], document["counts"]["calls"], document["counts"]["gaps"])
    wanted = (EXIT[expected.state], expected.state, expected.calls, 0)
    if said != wanted:
        raise AssertionError(f"exit code, state, calls and gaps are {said}, must be {wanted}: {document['reasons']}")
    return ran


def measure(*, lengths: Sequence[int], rounds: int, folder: Path | None = None) -> list[Figure]:
    """Figures of both kinds of transcript in every length; the longest bears the budget."""
    kinds: tuple[Kind, ...] = ("mixed", "undeclared")
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="witnessmark-bench-", dir=folder) as place:
        made = {
            (kind, length): (path := Path(place) / f"{kind}-{length}.jsonl", write_transcript(path, length, kind))
            for kind in kinds
            for length in lengths
        }
        ran: dict[tuple[Kind, int], list[Ran]] = {name: [] for name in made}
        for _ in range(rounds):
            for name, (path, expected) in made.items():
                ran[name].append(_checked(run(witnessmark("judge", str(path), "--format", "json"), sampled=True), expected))
        for kind in kinds:
            for length in lengths:
                frames = made[kind, length][1].frames
                longest = length == max(lengths)
                rounds_of = ran[kind, length]
                what = f"{kind}, {frames:,} frames"
                figures += [
                    figure(PART, what, [frames / one.wall_s for one in rounds_of], "frames/s", budget=RATE_BUDGET if longest else None),
                    figure(PART, f"{what}, by CPU time", [frames / one.cpu_s for one in rounds_of], "frames/s"),
                    figure(PART, f"{what}, peak memory", [one.peak_mib for one in rounds_of], "MiB", budget=MEMORY_BUDGET),
                ]
            figures += _flatness(kind, lengths, ran)
    return figures


def _flatness(kind: Kind, lengths: Sequence[int], ran: dict[tuple[Kind, int], list[Ran]]) -> list[Figure]:
    if len(lengths) < 2:
        return []
    shorter, longest = sorted(lengths)[-2:]
    ratios = [long.peak_mib / short.peak_mib for long, short in zip(ran[kind, longest], ran[kind, shorter], strict=True) if short.peak_mib]
    name = f"{kind}, peak memory of {longest:,} over {shorter:,} frames"
    return [figure(PART, name, ratios, "times", budget=FLAT_BUDGET)] if ratios else []
