"""Has the client's catalog converged? One row for each rule of verdicts.md section 2 (the table, then the notes)."""

from __future__ import annotations

import pytest

from histories import history
from witnessmark.judges.judging import judge
from witnessmark.model.policy import Policy
from witnessmark.model.verdict import CatalogReport

FIRST = "session list page installed"
STREAM = "open:http offer negotiated confirmed stream"


def report(line: str, policy: Policy | None = None, *, closed: bool = True) -> CatalogReport:
    told = history(line, closed=closed, attested=not closed, wait_s=1)
    verdict = judge(told.events, policy, as_of_us=told.end_us)
    return next(one for one in verdict.catalogs if one.server == "tickets")


ROWS: list[tuple[str, str, str, str]] = [
    # --- stale: positive proof
    ("a signal after the newest traversal, and none since", f"{FIRST} signal", "stale", "signal_unread"),
    ("an equal digest from before the signal outranks nothing", "session list page signal installed", "stale", "signal_unread"),
    ("a signal though listChanged was not advertised", "quiet list page installed signal", "stale", "signal_unread"),
    ("a signal inside the newest traversal tears it", "session list signal page installed", "stale", "torn"),
    (
        "a signal between two pages tears it",
        "session list page:next=c,tools=publish signal list:c page:tools=read installed",
        "stale",
        "torn",
    ),
    ("the installed definitions differ from the discovered ones", "session list page installed:view=old", "stale", "installed_differs"),
    (
        "equal names with another schema are another contract",
        f"{FIRST} signal change:publish list page installed:view=old",
        "stale",
        "installed_differs",
    ),
    ("a tool missing without a stated partial set", "session list page installed:view=hidden", "stale", "installed_differs"),
    ("an old definition in a partial set", f"{FIRST} signal change:publish list page installed:view=oldpart", "stale", "installed_differs"),
    ("a call of a tool that the catalog does not have", f"{FIRST} call:ghost", "stale", "wrong_call"),
    ("a call by a contract that is no longer current", f"{FIRST} call:publish,older=yes", "stale", "wrong_call"),
    ("the model request outranks telemetry that says equal", f"{FIRST} installed:tap,source=tap,view=old", "stale", "installed_differs"),
    # --- incomplete
    ("a page is missing", "session list page:next=c,tools=publish installed end", "incomplete", "page_missing"),
    ("a first page that matches is not the catalog", "session list page:next=c installed +60", "incomplete", "page_missing"),
    ("the empty string is a cursor", "session list page:next= installed +60", "incomplete", "page_missing"),
    ("a page was asked for and never came", "session list page:next=c list:c +60", "incomplete", "page_unanswered"),
    ("another cursor than the answer's", "session list page:next=c list:d page +60", "incomplete", "page_missing"),
    ("a cursor repeats", "session list page:next=c list:c page:next=c", "incomplete", "repeated_cursor"),
    ("a page error", "session list list_failed", "incomplete", "page_error"),
    ("a page error after a signal", f"{FIRST} signal list list_failed", "incomplete", "page_error"),
    ("the connection was lost under a page", "session list died", "incomplete", "connection_lost"),
    ("two definitions under one name", "session list clash", "incomplete", "duplicate_names"),
    ("two protocol versions in one traversal", "session list page:next=c list:c,version=2024-11-05 page", "incomplete", "version_changed"),
    ("a traversal after the signal that did not complete", f"{FIRST} signal list page:next=c +60", "incomplete", "page_missing"),
    ("a signal after traversals of which none completed", "session list list_failed signal", "incomplete", "never_completed"),
    ("under way", "session list", "incomplete", "in_progress"),
    ("under way after a signal", f"{FIRST} signal list", "incomplete", "in_progress"),
    ("under way beyond its deadline", "session list +31", "incomplete", "page_unanswered"),
    # --- unverifiable
    ("no traversal was seen", "session installed", "unverifiable", "never_traversed"),
    ("a list of our own is not the client's", "session list:origin=witness page installed", "unverifiable", "never_traversed"),
    ("nobody reported what the client shows", "session list page", "unverifiable", "install_unobserved"),
    ("no listChanged and an old traversal", "quiet list page installed +301", "unverifiable", "max_age_exceeded"),
    (
        "the capability was never seen and the traversal is old",
        "open offer negotiated:unseen confirmed list page installed +301",
        "unverifiable",
        "max_age_exceeded",
    ),
    ("a reconnect without a traversal", f"{FIRST} died open offer negotiated confirmed", "unverifiable", "blind_interval"),
    ("a second initialize without a traversal", f"{FIRST} offer negotiated confirmed", "unverifiable", "blind_interval"),
    ("a stream dropped and opened again", f"{STREAM} list page installed end:s1 stream:s2", "unverifiable", "blind_interval"),
    ("no subscription and the ttl has passed", "stateless list page:ttl=100 installed +101", "unverifiable", "ttl_expired"),
    (
        "a subscription that began after the traversal",
        "stateless list page installed listen acknowledged",
        "unverifiable",
        "blind_interval",
    ),
    (
        "a subscription dropped and renewed",
        "stateless listen acknowledged list page installed unsubscribed listen:sub2 acknowledged:sub2",
        "unverifiable",
        "blind_interval",
    ),
    (
        "a subscription without toolsListChanged is no channel",
        "stateless listen declined list page:ttl=100 installed +101",
        "unverifiable",
        "ttl_expired",
    ),
    (
        "a subscription that was only asked for is no channel",
        "stateless listen list page:ttl=100 installed +101",
        "unverifiable",
        "ttl_expired",
    ),
    ("a contract is ambiguous", "session list page:ambiguous=publish installed", "unverifiable", "ambiguous_contract"),
    (
        "a sampled report is older than the discovery",
        "session list page installed:sampled list page",
        "unverifiable",
        "install_not_seen_since_discovery",
    ),
    ("a part of the catalog is shown", "session list page installed:view=part", "unverifiable", "install_partial"),
    (
        "telemetry contradicts the model request",
        "session list page installed:view=old installed:tap,source=tap",
        "unverifiable",
        "witnesses_disagree",
    ),
    ("observations were lost since the traversal", f"{FIRST} gap", "unverifiable", "blind_interval"),
    ("observations were lost since the report", f"{FIRST} gap list page", "unverifiable", "install_not_seen_since_discovery"),
    (
        "advertised without a channel, and old",
        "open:http offer negotiated confirmed list page installed +301",
        "unverifiable",
        "ttl_expired",
    ),
    ("its stream was dropped, and it grew old", f"{STREAM} list page installed end:s1 +301", "unverifiable", "ttl_expired"),
    ("its server died, and it grew old", f"{FIRST} died +301", "unverifiable", "ttl_expired"),
    # --- converged
    ("a complete traversal equal to what is shown", FIRST, "converged", "silence_trusted"),
    (
        "two pages by their cursor",
        "session list page:next=c,tools=publish list:c page:tools=read installed",
        "converged",
        "silence_trusted",
    ),
    (
        "two walks beside each other",
        "session list page:next=c,tools=publish,id=2 list:c page:tools=read installed",
        "converged",
        "silence_trusted",
    ),
    ("a full refresh after the signal", f"{FIRST} signal change:publish list page installed", "converged", "silence_trusted"),
    ("a full refresh after a torn traversal", "session list signal page list page installed", "converged", "silence_trusted"),
    ("a tool was removed and the client re-read", f"{FIRST} signal remove:read list page installed", "converged", "silence_trusted"),
    ("no limit of age where silence is trusted", f"{FIRST} +100000", "converged", "silence_trusted"),
    ("not advertised, and young", "quiet list page installed +290", "converged", "within_max_age"),
    ("the ttl has not passed", "stateless list page:ttl=100 installed +90", "converged", "within_ttl"),
    (
        "an acknowledged subscription before the traversal",
        "stateless listen acknowledged list page:ttl=1 installed +1000",
        "converged",
        "silence_trusted",
    ),
    ("advertised without a channel, and young", "open:http offer negotiated confirmed list page installed", "converged", "within_max_age"),
    ("an open stream", f"{STREAM} list page installed +1000", "converged", "silence_trusted"),
    ("the client closed its channel: judged as of then", "quiet list page installed end +1000", "converged", "within_max_age"),
    (
        "a reconnect followed by a traversal",
        f"{FIRST} died open offer negotiated confirmed list page installed",
        "converged",
        "silence_trusted",
    ),
    ("a continuous report holds until the next one", f"{FIRST} list page", "converged", "silence_trusted"),
    ("a sampled report after the discovery", "session list page installed:sampled", "converged", "silence_trusted"),
    ("a lone first page around a call breaks nothing", f"{FIRST} list page:next=c,tools=publish call", "converged", "silence_trusted"),
    ("a wrong call, and a newer report", f"{FIRST} call:ghost installed", "converged", "silence_trusted"),
    (
        "a change that is only cosmetic, shown by a report from before it",
        f"{FIRST} signal cosmetic:publish list page",
        "converged",
        "silence_trusted",
    ),
    ("observations were lost before a traversal and a report", "session gap list page installed", "converged", "silence_trusted"),
]


@pytest.mark.parametrize("line, verdict, reason", [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_catalog_verdict_follows_from(line: str, verdict: str, reason: str) -> None:
    found = report(line)
    assert (found.verdict, found.reasons[0]) == (verdict, reason)


def test_delivery_is_told_where_only_delivery_was_seen() -> None:
    assert report("session list page").delivered
    assert not report("session list page signal").delivered


def test_a_grade_below_exact_is_named_and_green() -> None:
    found = report("session list page installed:core")
    assert (found.verdict, found.grade, "install_projection_core" in found.reasons) == ("converged", "core", True)


def test_a_partial_set_is_told_as_n_of_m() -> None:
    found = report("session list page installed:view=part")
    assert (found.shown, found.tools) == (1, 2)


@pytest.mark.parametrize("how, verdict", [("", "unverifiable"), ("tap", "converged")])
def test_policy_can_demand_the_model_tap(how: str, verdict: str) -> None:
    assert report(f"session list page installed:{how}", Policy(installed_witness="observed")).verdict == verdict


@pytest.mark.parametrize("seconds, verdict", [(60, "converged"), (100, "unverifiable")])
def test_the_refresh_policy_bounds_the_age(seconds: int, verdict: str) -> None:
    assert report(f"quiet list page installed +{seconds}", Policy(max_age_s=90)).verdict == verdict


def test_an_implicit_list_is_counted() -> None:
    told = history(f"{FIRST} list page:next=c,tools=publish call")
    assert judge(told.events, as_of_us=told.end_us).counts.implicit_lists == 1


@pytest.mark.parametrize("line", ["session list", f"{FIRST} signal list", "session list page:next=c"])
def test_a_traversal_under_way_is_routed_to_nobody_until_its_deadline(line: str) -> None:
    told = history(line, closed=False, attested=True, wait_s=1)
    verdict = judge(told.events, as_of_us=told.end_us)
    assert (verdict.state, verdict.owner) == ("working", "nobody")
    later = history(line, closed=False, attested=True, wait_s=40)
    assert judge(later.events, as_of_us=later.end_us).state == "stale_catalog"


def test_each_server_of_a_run_has_its_own_verdict() -> None:
    told = history(f"{FIRST} @notes {FIRST} signal @tickets call")
    verdicts = {one.server: one.verdict for one in judge(told.events, as_of_us=told.end_us).catalogs}
    assert verdicts == {"tickets": "converged", "notes": "stale"}


def test_a_log_that_was_cut_is_never_converged() -> None:
    told = history(FIRST, closed=False)
    assert judge(told.events, as_of_us=told.end_us + 1).catalogs[0].verdict == "unverifiable"
