from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from asking_scene import SOON, Scene

PYTHON = sys.executable


@pytest.mark.parametrize(
    "code, expected",
    [
        ("pass", ("passed", "")),
        ("raise SystemExit(1)", ("failed", "exit_code")),
        ("raise SystemExit(2)", ("error", "crashed")),
        ("import os; os.kill(os.getpid(), 9)", ("error", "crashed")),
        ("import time; time.sleep(600)", ("error", "time_limit")),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", ("error", "output_limit")),
    ],
)
def test_a_program_says_by_its_exit_code_and_nothing_else_counts(scene: Scene, code: str, expected: tuple[str, str]) -> None:
    assert (
        scene.verify("command", SOON if expected[1].endswith("limit") else SOON.__class__(seconds=30), command=[PYTHON, "-c", code])
        == expected
    )


def test_a_program_that_is_not_there_is_no_answer(scene: Scene) -> None:
    assert scene.verify("command", command=["no-such-program-here"]) == ("error", "not_installed")


def test_what_a_program_forks_dies_with_its_group(scene: Scene) -> None:
    code = """
import os, time
if os.fork() == 0:
    open('child.new', 'w').write(str(os.getpid())); os.rename('child.new', 'child'); time.sleep(600)
while not os.path.exists('child'): pass
"""
    assert scene.verify("command", command=[PYTHON, "-c", code]) == ("passed", "")
    child = Path(f"/proc/{(scene.folder / 'child').read_text()}/stat")
    while child.exists() and child.read_text().split()[2] not in "ZX":  # the signal was sent; the test's time limit is the bound
        pass


def test_a_value_is_one_word_and_no_option_and_no_shell(scene: Scene) -> None:
    code = "import sys; raise SystemExit(sys.argv[1:] != ['$(touch pwned); `id`'])"
    assert scene.verify("command", command=[PYTHON, "-c", code, "{v}"], values={"v": "$(touch pwned); `id`"}) == ("passed", "")
    assert not (scene.folder / "pwned").exists()
    assert scene.verify("command", command=[PYTHON, "-c", "pass", "{v}"], values={"v": "--version"}) == ("error", "bad_value")
    assert scene.verify("command", command=["{v}"], values={"v": "sh"}) == ("error", "bad_setting")


def test_a_program_gets_only_the_variables_that_are_named(scene: Scene) -> None:
    scene.environment |= {"CANARY": "c", "GIVEN": "g"}
    code = "import os; raise SystemExit('CANARY' in os.environ or 'GIVEN' not in os.environ)"
    assert scene.verify("command", command=[PYTHON, "-c", code], environment=["GIVEN"]) == ("passed", "")


@pytest.mark.parametrize(
    "said, expected",
    [
        ('{"status": "passed"}', ("passed", "")),
        ('{"status": "failed"}', ("failed", "differs")),
        ('{"status": "maybe"}', ("error", "not_understood")),
        ('{"status": "failed", "status": "passed"}', ("error", "not_understood")),
        ("passed", ("error", "not_understood")),
    ],
)
def test_a_judgement_is_labelled_as_one(scene: Scene, said: str, expected: tuple[str, str]) -> None:
    receipt = scene.receipt("judged", command=[PYTHON, "-c", f"print({said!r})"])
    assert (receipt.status, receipt.reason, receipt.strength) == (*expected, "judged")


@pytest.mark.parametrize(
    "said, expected",
    [
        ('{"status": "applied", "count": 2}', ("applied", 2, "")),
        ('{"status": "absent"}', ("absent", None, "")),
        ('{"status": "absent", "count": 1}', ("unknown", None, "contradicts")),
        ('{"status": "applied", "count": 0}', ("unknown", None, "contradicts")),
        ('{"status": "applied", "count": true}', ("unknown", None, "not_understood")),
        ("{}", ("unknown", None, "not_understood")),
    ],
)
def test_a_program_as_destination(scene: Scene, said: str, expected: tuple[str, int | None, str]) -> None:
    assert scene.ask("command", command=[PYTHON, "-c", f"print({said!r})"]) == expected


@pytest.mark.parametrize(
    "body, expected",
    [
        ("return values['n'] == 3", ("passed", "")),
        ("return False", ("failed", "differs")),
        ("return 1", ("error", "crashed")),
        ("print('true'); return False", ("failed", "differs")),
        ("raise ValueError(values)", ("error", "crashed")),
        ("import os; os._exit(0)", ("error", "not_understood")),
        ("import time; time.sleep(600)", ("error", "time_limit")),
    ],
)
def test_a_python_callable_runs_in_its_own_process(scene: Scene, body: str, expected: tuple[str, str]) -> None:
    (scene.folder / "checks.py").write_text(f"def good(values):\n    {body}\n")
    limits = SOON if expected[1] == "time_limit" else SOON.__class__(seconds=30)
    assert scene.verify("python", limits, callable="checks:good", values={"n": 3}) == expected


def test_a_report_of_a_real_pytest_run(scene: Scene) -> None:
    import subprocess

    (scene.folder / "test_it.py").write_text(
        "import pytest\ndef test_good(): pass\n@pytest.mark.skip\ndef test_skipped(): pass\ndef test_other(): pass\n"
    )

    def run() -> None:
        command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junitxml=r.xml", "test_it.py"]
        subprocess.run(command, cwd=scene.folder, capture_output=True, check=False)

    run()
    assert scene.verify("junit", path="r.xml") == ("passed", "")
    assert scene.verify("junit", path="r.xml", tests=2, names=["test_good", "test_it.test_other"]) == ("passed", "")
    assert scene.verify("junit", path="r.xml", tests=3) == ("failed", "differs")
    assert scene.verify("junit", path="r.xml", names=["test_skipped"]) == ("failed", "differs")
    scene.more["run_began_us"] = os.stat(scene.folder / "r.xml").st_mtime_ns // 1000 + 1
    assert scene.verify("junit", path="r.xml") == ("error", "too_old")
    scene.more.clear()
    (scene.folder / "test_it.py").write_text("def test_bad(): assert 0\n")
    run()
    assert scene.verify("junit", path="r.xml") == ("failed", "differs")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("<testsuite/>", ("error", "nothing_checked")),
        ("<testsuite><testcase name='a'><skipped/></testcase></testsuite>", ("error", "nothing_checked")),
        ("<testsuite><testcase name='a'/>", ("error", "not_understood")),
        ("<html/>", ("error", "not_understood")),
        ("<!DOCTYPE x [<!ENTITY a 'aaaa'>]><testsuite><testcase name='&a;'/></testsuite>", ("error", "not_understood")),
        ("<testsuite><error/><testcase name='a'/></testsuite>", ("failed", "differs")),
        ("<testsuite><testcase name='a'><error/></testcase></testsuite>", ("failed", "differs")),
    ],
)
def test_a_report_that_proves_nothing_is_never_green(scene: Scene, text: str, expected: tuple[str, str]) -> None:
    (scene.folder / "r.xml").write_text(text)
    assert scene.verify("junit", path="r.xml") == expected
