"""`make demo` begins with a first look, which stays open beside the platform and leaves nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from kwitness.demo.stages import TRY_COMMAND
from kwitness.sandbox.waiting import wait_for_exit

from tests.eventually import eventually

SANDBOX = """
import signal, sys, time, pathlib
def end(*_):
    pathlib.Path(sys.argv[1]).unlink()
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
pathlib.Path(sys.argv[1]).touch()
print("tables", flush=True)
open(sys.argv[-1], "w").close()
time.sleep(600)
"""


class Demo:
    """Both stages in a process of their own."""

    def __init__(self, home: Path, sandbox: list[str], *commands: list[str], beside: bool = False) -> None:
        self.home, self.log = home, home / "output"
        self.home.mkdir(exist_ok=True)
        code = dedent(f"""
            import sys
            from kwitness.demo.stages import run_stages
            sys.exit(run_stages({list(commands)!r}, sandbox={sandbox!r}, beside={beside}))
        """)
        environment = {**os.environ, "TMPDIR": str(home), "XDG_RUNTIME_DIR": str(home), "PATH": "/usr/bin:/bin"}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code], env=environment, stdout=log, stderr=log, start_new_session=True
            )

    def shown(self) -> str:
        return self.log.read_text()


def sandbox(mark: Path) -> list[str]:
    """A first look that keeps a file for as long as it is open."""
    return [sys.executable, "-c", SANDBOX, str(mark)]


def platform(code: str) -> list[str]:
    """A platform that does something."""
    return [sys.executable, "-c", code, "{notify}"]


SLEEPS = "import time; print('platform', flush=True); time.sleep(600)"


def test_the_sandbox_is_open_while_the_platform_is_built_and_ends_when_it_stands(tmp_path: Path) -> None:
    mark = tmp_path / "open"
    code = f"""
import os, pathlib, signal, sys, time
assert pathlib.Path({str(mark)!r}).exists()
print('platform', flush=True)
os.kill(int(sys.argv[1]), signal.SIGUSR1)
while pathlib.Path({str(mark)!r}).exists(): time.sleep(0.1)
print('stands', flush=True)
"""
    demo = Demo(tmp_path, sandbox(mark), platform(code))

    assert wait_for_exit(demo.process) == 0
    assert re.fullmatch(
        r"First look: .*\n=+\ntables\n\nIt stays open until the platform stands\.\n\nplatform\nstands\n", demo.shown()
    )


def test_output_of_a_platform_that_starts_beside_follows_the_tables(tmp_path: Path) -> None:
    waits = f"import pathlib, time\nwhile not pathlib.Path({str(tmp_path / 'begun')!r}).exists(): time.sleep(0.1)\n"
    begun = f"import pathlib; print('platform', flush=True); pathlib.Path({str(tmp_path / 'begun')!r}).touch()\n"
    begins = begun + "import os, signal, sys; os.kill(int(sys.argv[1]), signal.SIGUSR1)"
    slow = [sys.executable, "-c", waits + SANDBOX, str(tmp_path / "open")]
    demo = Demo(tmp_path, slow, platform(begins), platform("print('stands')"), beside=True)

    assert wait_for_exit(demo.process) == 0
    assert demo.shown().endswith("\ntables\n\nIt stays open until the platform stands.\n\nplatform\nstands\n")


def test_a_platform_that_fails_leaves_no_sandbox(tmp_path: Path) -> None:
    demo = Demo(tmp_path, sandbox(tmp_path / "open"), platform("raise SystemExit(3)"), platform("print('never')"))

    assert wait_for_exit(demo.process) == 3
    assert not (tmp_path / "open").exists()
    assert "never" not in demo.shown()


@pytest.mark.parametrize(
    ("number", "to_all", "status"),
    [(signal.SIGINT, True, 130), (signal.SIGINT, False, 130), (signal.SIGTERM, False, 143)],
)
def test_an_interrupt_ends_both(number: signal.Signals, *, to_all: bool, status: int, tmp_path: Path) -> None:
    demo = Demo(tmp_path, sandbox(tmp_path / "open"), platform(SLEEPS))
    eventually(demo.shown, lambda text: "\nplatform" in text, needs=[demo.process])

    (os.killpg if to_all else os.kill)(demo.process.pid, number)

    assert wait_for_exit(demo.process) == status
    assert not (tmp_path / "open").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["output"]


def test_the_platform_is_built_also_after_a_sandbox_that_failed(tmp_path: Path) -> None:
    demo = Demo(tmp_path, [sys.executable, "-c", "print('no Java')"], platform("print('platform')"))

    assert wait_for_exit(demo.process) == 0
    assert demo.shown().endswith("no Java\n\nThe first look failed; the platform needs nothing of it.\n\nplatform\n")


@pytest.mark.broker
def test_what_make_try_prints_stands_under_its_heading_and_later_output_stays_out(tmp_path: Path) -> None:
    demo = Demo(tmp_path, list(TRY_COMMAND), platform(SLEEPS))
    eventually(demo.shown, lambda text: text.endswith("\nplatform\n"), needs=[demo.process])
    for part in ("Connected, by software and version", "Silent, and why", "kwitness clients --watch"):
        assert part in demo.shown()
    assert len(list(tmp_path.glob("kwitness-demo-*/log"))) == 1
    assert "an observer, the way" not in demo.shown()

    os.killpg(demo.process.pid, signal.SIGINT)
    assert wait_for_exit(demo.process) == 130
    assert [file.name for file in tmp_path.iterdir() if file.name != "kwitness-try"] == ["output"]
