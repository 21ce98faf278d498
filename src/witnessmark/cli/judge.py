"""`witnessmark judge`: verdicts of files or of a stored run; the exit code is the worst of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from witnessmark.cli.options import (
    find_run,
    format_option,
    load_policy,
    opened_store,
    policy_option,
    show_verdicts,
    store_option,
    worst_exit,
)
from witnessmark.errors import InputError, UsageError, WitnessmarkError

if TYPE_CHECKING:
    from witnessmark.adapters.evidence_files import EvidenceFile
    from witnessmark.model.evidence import Event
    from witnessmark.model.policy import Policy
    from witnessmark.model.verdict import Verdict

FUTURE_US: Final = 300_000_000
"""Clocks of two machines may be this far apart (5 minutes, the skew that token checks allow); a time beyond it is a mistake."""


class AsOf(NamedTuple):
    """The instant that was asked for: an absolute one, or seconds from the zero of the evidence."""

    time_us: int
    relative: bool


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--run", metavar="RUN", help="Judge this run of the store: its id, a beginning of it, or `last`.")
@store_option
@click.option("--as-of", metavar="T", help="Judge as of T: seconds since the first frame, or an RFC 3339 time.")
@click.option("--cut", is_flag=True, help="Leave out what was seen after --as-of, instead of refusing it.")
@policy_option
@format_option
def judge(
    *, files: tuple[str, ...], run: str | None, store: str | None, as_of: str | None, cut: bool, policy_file: str | None, form: str
) -> int:
    """Judge transcripts and evidence logs, or a stored run.

    FILE is a transcript or an evidence log, told apart by the first line; `-` is standard input. Several files are several
    verdicts. Exit code: 0 proved good, 1 proved bad, 3 not proved, 4 a call is under way; of several files the worst, in the
    order 1, 3, 4, 0; and 2 if any could not be read (the others are judged all the same).
    """
    if bool(files) == (run is not None):
        text = "name files or --run, not both" if files else "name files, or a stored run with --run"
        raise click.UsageError(text, click.get_current_context())
    if cut and as_of is None:
        raise click.UsageError("--cut needs --as-of", click.get_current_context())
    policy = load_policy(policy_file)
    wanted = parse_as_of(as_of) if as_of is not None else None
    if run is not None:
        verdict, name = judge_run(store, run, policy, wanted, cut=cut)
        show_verdicts([(name, verdict)], form, several=False)
        return verdict.exit_code
    return _judge_files(files, policy, wanted, cut=cut, form=form)


def _judge_files(files: tuple[str, ...], policy: Policy, as_of: AsOf | None, *, cut: bool, form: str) -> int:
    from witnessmark.cli.main import report

    judged: list[tuple[str, Verdict]] = []
    codes: list[int] = []
    for path in files:
        try:
            verdict = judge_file(path, policy, as_of, cut=cut)
        except WitnessmarkError as error:
            codes.append(report(error))
        else:
            codes.append(verdict.exit_code)
            judged.append((path, verdict))
    if judged:
        show_verdicts(judged, form, several=len(files) > 1)
    return worst_exit(codes)


def parse_as_of(text: str) -> AsOf:
    """The instant in `--as-of`. UsageError for what is neither a number of seconds nor an RFC 3339 time, and for the future."""
    from witnessmark.render.times import parse_rfc3339, parse_seconds_us

    seconds_us = parse_seconds_us(text)
    if seconds_us is not None:
        return AsOf(seconds_us, relative=True)
    time_us = parse_rfc3339(text)
    if time_us is None:
        hint = "write seconds as 60 or 0.5, or an RFC 3339 time with zone as 2026-01-31T12:00:00Z"
        raise UsageError(f"{text!r} is no instant", where="--as-of", hint=hint)
    return AsOf(_not_in_the_future(time_us), relative=False)


def _not_in_the_future(time_us: int) -> int:
    """The instant itself. UsageError for one that this machine's clock has not reached; a transcript's own seconds have no clock."""
    from witnessmark.adapters.clock import now_us
    from witnessmark.render.times import instant, is_relative

    if not is_relative(time_us) and time_us > now_us() + FUTURE_US:
        hint = "nobody knows what will have been seen then: leave it out, or name an earlier time"
        raise UsageError(f"{instant(time_us)} is in the future", where="--as-of", hint=hint)
    return time_us


def _after(as_of: AsOf, zero_us: int) -> int:
    """The instant in absolute time, where seconds count from `zero_us`."""
    from witnessmark.render.times import is_relative

    # A number of today's size can only be meant as seconds of the Unix epoch.
    return _not_in_the_future(zero_us + as_of.time_us if as_of.relative and is_relative(as_of.time_us) else as_of.time_us)


def judge_file(path: str, policy: Policy, as_of: AsOf | None, *, cut: bool) -> Verdict:
    """The verdict of one file. InputError names the file and the line."""
    from witnessmark import judge as verdict_of
    from witnessmark.adapters.evidence_files import EvidenceFile
    from witnessmark.adapters.input_files import opened

    with opened(path) as (file, name):
        evidence = EvidenceFile(file, name)
        instant_us = None if as_of is None else _instant_us(as_of, evidence.first(), name)
        return verdict_of(_Timely(evidence, instant_us, cut=cut), policy, as_of_us=instant_us)


def _instant_us(as_of: AsOf, first: Event | None, name: str) -> int:
    """The instant in the time of the evidence, whose zero is known only from its first event."""
    from witnessmark.render.times import is_relative

    if first is None:
        return as_of.time_us
    if as_of.relative:
        return as_of.time_us if is_relative(first.time_us) else _after(as_of, first.time_us)
    if is_relative(first.time_us):
        hint = "give --as-of in seconds, as the file's `at` does"
        raise UsageError("counts seconds from its first frame, and --as-of is a time of day", where=name, hint=hint)
    return as_of.time_us


class _Timely:
    """The events of a file; an InputError with its line for what is in the future, and without `cut` for what is after the instant."""

    def __init__(self, evidence: EvidenceFile, as_of_us: int | None, *, cut: bool) -> None:
        self._evidence = evidence
        self._as_of_us = as_of_us
        self._cut = cut

    def __iter__(self) -> Iterator[Event]:
        from witnessmark.adapters.clock import now_us

        latest_us = now_us() + FUTURE_US
        place = self._evidence.place
        for event in self._evidence:
            if event.time_us > latest_us:
                hint = "mend the recorder's clock, or this machine's"
                raise InputError("was seen in the future of this machine's clock", where=place(), hint=hint)
            if self._as_of_us is not None and event.time_us > self._as_of_us:
                if self._cut:
                    # The judge leaves it out; that it exists proves that the log was whole until then.
                    yield event
                    continue
                hint = "judge as of a later instant, or leave out what came later with --cut"
                raise InputError("was seen after the instant of --as-of", where=place(), hint=hint)
            yield event


def judge_run(store: str | None, given: str, policy: Policy, as_of: AsOf | None, *, cut: bool) -> tuple[Verdict, str]:
    """The verdict of a stored run and its name; without an instant as of now, so that what was cut off does not stay `working`."""
    from witnessmark import judge as verdict_of
    from witnessmark.adapters.clock import now_us
    from witnessmark.adapters.stored_runs import evidence_of
    from witnessmark.judges.judging import Ordered

    now = now_us()
    with opened_store(store) as opened:
        run = find_run(opened, given, now)
        if as_of is None:
            return verdict_of(Ordered(evidence_of(opened, run, now)), policy, as_of_us=now), f"run {run}"
        opened_us = min(session.opened_us for session in opened.sessions(run))
        instant_us = _after(as_of, opened_us)
        return verdict_of(Ordered(evidence_of(opened, run, now, instant_us, cut=cut)), policy, as_of_us=instant_us), f"run {run}"
