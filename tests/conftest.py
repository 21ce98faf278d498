"""What every test shares: no clock decides, nothing is written outside, and a test that could not run never looks like one that passed."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOT_RUN = "NOT RUN: "

# A slow machine fails no property; CI draws the same examples every time, so that a red run can be run again.
settings.register_profile(
    "suite", deadline=None, print_blob=True, derandomize=bool(os.environ.get("CI")), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def private_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the suite out of the user's evidence, and the user's run out of the suite."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("WITNESSMARK_")]:
            patch.delenv(name)
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def signals_as_at_a_terminal() -> None:
    """A shell without job control starts background jobs with these ignored, and every process of a test would inherit that."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--not-run-fails", action="store_true", help="fail the run when a test could not run where it stands (make test does)")


@pytest.fixture
def not_run() -> Callable[[str], None]:
    """Return a function that skips the test with the name of what is missing; under `make test` that fails the run at its end."""

    def skip(missing: str) -> None:
        pytest.skip(NOT_RUN + missing)

    return skip


def not_run_reasons(config: pytest.Config) -> list[str]:
    """Return the reasons of all tests that could not run, each once, in the order they came."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return []
    texts = [report.longrepr[2] for report in reporter.stats.get("skipped", ()) if isinstance(report.longrepr, tuple)]
    return list(dict.fromkeys(text[text.index(NOT_RUN) :] for text in texts if NOT_RUN in text))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--not-run-fails") and not_run_reasons(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    reasons = not_run_reasons(config)
    if reasons:
        terminalreporter.section("could not run here", red=True)
        for reason in reasons:
            terminalreporter.line(reason)
