"""The program behind `make test`, with groups of its own: small real runs of pytest in a folder of the test's."""

from __future__ import annotations

import io
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from kwitness.devtools.suite.__main__ import failures, main, run
from kwitness.devtools.suite.complete_groups import pytest_deselected
from kwitness.devtools.suite.cpu_log import read_cpu_file
from kwitness.devtools.suite.run_folder import RunFolder
from kwitness.devtools.suite.side_by_side import Interruption, Run, end
from kwitness.devtools.suite.steps import GROUPS, QUICK, Group, Step
from kwitness.sandbox.waiting import communicate, wait_for_exit

from tests.eventually import eventually

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_plugins")]

ONE = Group(name="one", title="the first", expression="not second", queue="off")
TWO = Group(name="two", title="the second", expression="second", queue="off")


@pytest.fixture
def without_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small runs need none of pytest's plugins, whose import takes most of such a run's time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    """Run both groups over a module of tests; the exit status and what was shown."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = second\n")
    monkeypatch.chdir(tmp_path)

    def suite(module: str, at_once: int = 2, steps: Sequence[Step] = (ONE, TWO)) -> tuple[int, str]:
        (tmp_path / "test_it.py").write_text(f"import pytest, time, pathlib\n{module}")
        shown = io.BytesIO()
        outcome = run(steps, folder=RunFolder(tmp_path), out=shown, at_once=at_once)
        return outcome.status, shown.getvalue().decode()

    return suite


def test_groups_run_side_by_side_and_are_shown_one_after_another(suite) -> None:
    status, shown = suite("""
def meet(mine, others):
    pathlib.Path(mine).touch()
    until = time.monotonic() + 60
    while not pathlib.Path(others).exists():
        assert time.monotonic() < until
        time.sleep(0.05)
def test_a(): meet("a", "b")
@pytest.mark.second
def test_b(): meet("b", "a")
""")

    assert status == 0, shown
    titles = [line for line in shown.splitlines() if line in {"== the first ==", "== the second =="}]
    assert titles == ["== the first ==", "== the second =="]
    assert shown.count("1 passed, 1 deselected") == 2
    assert "what failed" not in shown


def test_a_group_that_finds_no_room_begins_when_another_has_ended(suite) -> None:
    status, shown = suite(
        """
def test_a():
    time.sleep(1)
    assert not pathlib.Path("b").exists()
    pathlib.Path("a").touch()
@pytest.mark.second
def test_b():
    pathlib.Path("b").touch()
    assert pathlib.Path("a").exists()
""",
        at_once=1,
    )

    assert status == 0, shown
    assert shown.count("1 passed, 1 deselected") == 2


def test_what_failed_comes_at_the_end_whichever_group_it_is_in(suite) -> None:
    status, shown = suite("""
def test_a(): pass
@pytest.mark.second
def test_b(): assert 1 == 2, "of no use"
""")

    assert status == 1
    end = shown.partition("== what failed, and why ==\n")[2]
    assert "FAILED test_it.py::test_b - AssertionError: of no use" in end
    assert "test_a" not in end


COUNTED = """
@pytest.mark.parametrize("number", range({parameters}))
def test_a(number):
    with open(f"runs-{{number}}", "a") as runs:
        runs.write("x")
    assert number == 0 or pathlib.Path(f"runs-{{number}}").read_text() == "xx"
@pytest.mark.second
def test_b(): {second}
"""


def test_a_few_tests_that_failed_run_again_alone_and_are_named(suite) -> None:
    status, shown = suite(COUNTED.format(parameters=4, second="pathlib.Path('b').mkdir()"))

    assert status == 0, shown
    end = shown.partition("== what failed, and why ==\n")[2]
    assert "FAILED test_it.py::test_a[3]" in end
    assert "== the first: what failed, alone ==" in end
    named = [f"test_it.py::test_a[{number}]" for number in (1, 2, 3)]
    assert end.splitlines()[-4:] == [
        "== failed beside others and passed alone: a defect of the test or of the code ==",
        *named,
    ]
    assert [len(Path(f"runs-{number}").read_text()) for number in range(4)] == [1, 2, 2, 2]


@pytest.mark.parametrize(("parameters", "second"), [(5, "pass"), (4, "assert 1 == 2"), (1, "pytest.exit('no')")])
def test_many_failures_or_another_error_fail_the_run_at_once(suite, parameters: int, second: str) -> None:
    status, shown = suite(COUNTED.format(parameters=parameters, second=second))

    assert status == 1
    assert ", alone ==" not in shown


def test_what_fails_alone_too_fails_the_run(suite) -> None:
    status, shown = suite(COUNTED.format(parameters=2, second="assert 1 == 2"))

    assert status == 1
    assert "== the second: what failed, alone ==" in shown
    assert "passed alone" not in shown


def test_a_group_without_a_test_is_a_failure(suite) -> None:
    assert suite("def test_a(): pass")[0] == 1


def test_the_time_of_a_group_is_until_its_own_end_though_it_is_shown_later(suite, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = second\n")
    (tmp_path / "test_it.py").write_text("""
import pytest, time
def test_a(): time.sleep(6)
@pytest.mark.second
def test_b(): pass
""")
    one, two = run([ONE, TWO], folder=RunFolder(tmp_path), out=io.BytesIO()).costs

    assert one.seconds >= 6
    assert two.seconds < one.seconds


def test_a_step_runs_after_the_ones_that_it_needs_and_not_if_they_fail(suite) -> None:
    later = replace(TWO, after=("one", "not run here"))
    passing = "def test_a(): time.sleep(1); pathlib.Path('a').touch()\n"
    needing = "@pytest.mark.second\ndef test_b(): assert pathlib.Path('a').exists()"

    assert suite(passing + needing, steps=(ONE, later))[0] == 0
    status, shown = suite(f"def test_a(): assert False\n{needing}", steps=(ONE, later))
    assert status == 1
    assert "not run, because one failed" in shown
    assert "test_b" not in shown


def test_steps_that_others_wait_for_come_first_at_the_processor(suite) -> None:
    write = "pathlib.Path({!r}).write_text(str(os.nice(0)))"
    module = f"import os\ndef test_a(): {write.format('one')}\n@pytest.mark.second\ndef test_b(): {write.format('two')}"

    assert suite(module, steps=(ONE, replace(TWO, after=("one",))))[0] == 0
    assert int(Path("two").read_text()) > int(Path("one").read_text()) == os.nice(0)


def test_a_group_pays_for_what_its_tests_start_orphans_included(suite, tmp_path: Path) -> None:
    """One child burns half a second and is not waited for: it outlives the process that started it, and the test."""
    status, shown = suite("""
import subprocess, sys
BURN = "import time\\nwhile time.process_time() < 0.5: pass\\nopen('burnt', 'w')\\ntime.sleep(5)"
def test_a():
    start = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURN!r}], start_new_session=True)"
    subprocess.run([sys.executable, "-c", start], check=True)
    while not pathlib.Path("burnt").exists(): time.sleep(0.05)
@pytest.mark.second
def test_b(): pass
""")

    assert status == 0, shown
    folder = RunFolder(tmp_path)
    assert read_cpu_file(folder.cpu_log("one")).by_file["test_it.py"] >= 0.5
    assert read_cpu_file(folder.cpu_log("two")).by_file["test_it.py"] < 0.5


HANGS = """
import pytest, time, pathlib, os
@pytest.fixture
def surroundings():
    name = os.environ["PYTEST_CURRENT_TEST"].split("::")[1].split()[0]
    pathlib.Path(name + ".pid").write_text(str(os.getpid()))
    yield
    pathlib.Path(name + ".put-away").touch()
def test_a(surroundings): {wait}
@pytest.mark.second
def test_b(surroundings): {wait}
"""
PROGRAM = """
import sys
from pathlib import Path
from kwitness.devtools.suite.__main__ import run
from kwitness.devtools.suite.run_folder import RunFolder
from tests.devtools.test_suite import ONE, TWO
sys.exit(run([ONE, TWO], folder=RunFolder(Path()), out=sys.stdout.buffer).status)
"""


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[Callable[[str], tuple[subprocess.Popen[str], list[int]]]]:
    """The program with tests that do not end, and the process ids of its runs."""
    started: list[subprocess.Popen[str]] = []
    children: list[int] = []

    def begin(wait: str) -> tuple[subprocess.Popen[str], list[int]]:
        (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = second\naddopts = --capture=no\n")
        (tmp_path / "test_it.py").write_text(HANGS.format(wait=wait))
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
        # As a shell starts what it runs in the background: with the signal of Ctrl-C ignored.
        program = ["sh", "-c", 'trap "" INT; exec "$0" -c "$1"', sys.executable, PROGRAM]
        process = subprocess.Popen(program, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
        started.append(process)
        files = [tmp_path / "test_a.pid", tmp_path / "test_b.pid"]
        eventually(lambda: all(file.exists() and file.read_text() for file in files), every=0.1)
        children.extend(int(file.read_text()) for file in files)
        return process, children

    yield begin
    for process in started:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    for child in children:
        if _runs(child):
            os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_ends_its_runs_in_good_order(hanging, tmp_path: Path, number: signal.Signals) -> None:
    process, children = hanging("time.sleep(3600)")

    process.send_signal(number)
    told, _ = communicate(process)

    assert process.returncode == 128 + number
    assert "interrupted" in told
    assert not [child for child in children if _runs(child)]
    assert {file.stem for file in tmp_path.glob("*.put-away")} == {"test_a", "test_b"}


def test_a_second_interruption_ends_by_force_what_does_not_heed_the_first(hanging, tmp_path: Path) -> None:
    deaf = "[signal.signal(signal.SIGINT, signal.SIG_IGN) for signal in [__import__('signal')]]; time.sleep(3600)"
    process, children = hanging(deaf)
    time.sleep(1)  # until they are deaf

    process.send_signal(signal.SIGTERM)
    assert process.stdout is not None
    eventually(process.stdout.readline, lambda line: "interrupted" in line, every=0)
    process.send_signal(signal.SIGTERM)
    communicate(process)

    assert not [child for child in children if _runs(child)]


def test_what_does_not_end_within_the_grace_is_ended_by_force(tmp_path: Path) -> None:
    deaf = "import signal, time; signal.signal(2, signal.SIG_IGN); print(1, flush=True); time.sleep(99)"
    child = Run("deaf", [sys.executable, "-c", deaf], tmp_path / "log", os.environ)
    eventually(child.log.read_text, every=0.1)

    end([child], Interruption(), grace_seconds=0.5)

    assert child.process.returncode == -signal.SIGKILL


def test_a_reader_that_goes_away_leaves_no_run_behind(hanging) -> None:
    process, children = hanging("[print('x' * 1000, flush=True) or time.sleep(0.01) for _ in range(10**6)]")
    assert process.stdout is not None

    process.stdout.close()

    assert wait_for_exit(process) != 0
    assert not [child for child in children if _runs(child)]


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_only_lines_that_tell_of_failures_are_shown_and_no_endless_list() -> None:
    log = "x\nE   assert 1 == 2\nEverything\nFAILED a::b - no\nERROR a::c - worse\n E  indented\n"

    assert failures([log, "FAILED d::e\n"]) == [
        "E   assert 1 == 2",
        "FAILED a::b - no",
        "ERROR a::c - worse",
        "FAILED d::e",
    ]
    assert len(failures(["FAILED a::b\n" * 1000])) == 40


def test_an_unknown_group_is_named_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["units"])

    assert ended.value.code == 2
    assert (
        "no step units: the steps are java, checks, images, node, broker, spark, programs, contracts, quick"
        in capsys.readouterr().err
    )


FOLDERS = sorted({path.parent.name for path in Path(__file__).resolve().parents[1].glob("*/test_*.py")})


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_test_is_in_one_group_at_most(folder: str) -> None:
    """Whatever markers a test has."""
    for present in itertools.product((False, True), repeat=4):
        markers = {name for name, is_there in zip(("spark", "broker", "node", "e2e"), present, strict=True) if is_there}
        assert sum(group.holds(folder, markers) for group in GROUPS) <= 1, markers
        assert not any(group.holds(folder, {*markers, "release"}) for group in (*GROUPS, QUICK)), markers


@pytest.mark.parametrize("folder", [folder for folder in FOLDERS if folder != "e2e"])  # there the folder is a marker
def test_a_test_without_markers_is_in_a_group(folder: str) -> None:
    assert sum(group.holds(folder, ()) for group in GROUPS) == 1


class Deselected(NamedTuple):
    """An item of pytest, as far as the plugin looks."""

    path: Path
    markers: tuple[str, ...]
    nodeid: str = "tests/subscriptions/test_it.py::test_a"

    def iter_markers(self) -> list[pytest.Mark]:
        return [pytest.Mark(name, (), {}) for name in self.markers]


def test_a_test_that_no_group_runs_fails_the_run() -> None:
    path = Path(__file__).resolve().parents[1] / "subscriptions/test_it.py"

    pytest_deselected([Deselected(path, ()), Deselected(path, ("spark", "release"))])
    with pytest.raises(pytest.UsageError, match="no group of `make test` runs tests/subscriptions/test_it"):
        pytest_deselected([Deselected(path, ("spark",))])


def test_a_file_that_does_not_name_its_mark_fails_the_run() -> None:
    operator = Path(__file__).resolve().parents[1] / "operator"

    pytest_deselected([Deselected(operator / "test_operator_process.py", ("broker",))])
    with pytest.raises(pytest.UsageError, match=r"write pytest\.mark\.broker in conftest\.py"):
        pytest_deselected([Deselected(operator / "conftest.py", ("broker",))])


def test_files_without_the_mark_of_a_group_are_not_collected() -> None:
    (broker,) = (group for group in GROUPS if group.name == "broker")

    command = broker.command()

    assert "tests/operator/test_operator_process.py" in command
    assert "tests/operator/test_work_queue.py" not in command
