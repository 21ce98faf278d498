"""A verdict over stored evidence is the verdict over the evidence itself, however it was stored."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import witnessmark
from recorded_sessions import SECOND_US, START_US, facts, recorded
from witnessmark.adapters.store.location import open_store
from witnessmark.model.evidence import Event, Fact
from witnessmark.render.cloudevents import event_line, read_evidence_lines
from witnessmark.state.order import trusted

_STEPS = st.lists(st.tuples(facts(), st.integers(0, 30 * SECOND_US)), max_size=12)
AS_OF = START_US // SECOND_US + 60


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(_STEPS, min_size=1, max_size=3), seed=st.randoms(use_true_random=False))
def test_store_and_log_change_no_verdict(
    tmp_path_factory: pytest.TempPathFactory, steps: list[list[tuple[Fact, int]]], seed: random.Random
) -> None:
    store = open_store(tmp_path_factory.mktemp("store") / "evidence.sqlite")
    direct: list[Event] = []
    for number, session in enumerate(steps):
        name = f"s{number}"
        entries, events = recorded([(fact, START_US + step) for fact, step in session], session=name, close=seed.random() < 0.5)
        direct += map(trusted, events)
        key = store.open_session(source="proxy:files", session=name, run="run-1", server="files", opened_us=START_US)
        store.append(key, entries)
    stored = list(store.events("run-1"))
    lines = [event_line(event) for event in store.logged("run-1")]
    store.close()
    verdict = witnessmark.judge(stored, as_of=AS_OF)
    seed.shuffle(direct)
    assert witnessmark.judge(direct, as_of=AS_OF) == verdict
    seed.shuffle(lines)
    assert witnessmark.judge(list(read_evidence_lines(lines, "log")), as_of=AS_OF) == verdict
