"""`make demo` names in its first seconds what would make it fail later, with what to do, and starts nothing."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kwitness.demo import __main__ as demo
from kwitness.demo import first_checks, targets
from kwitness.e2e import capacity
from kwitness.images import container_engine
from kwitness.images.commands import CommandFailedError

ROOT = Path(__file__).resolve().parents[2]
DEMO = [sys.executable, "-m", "kwitness.demo"]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A machine without a demo and with an empty cache; a test sets its free disk and memory in GiB."""
    state = SimpleNamespace(disk=100.0, memory=100.0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: SimpleNamespace(free=state.disk * 2**30))
    monkeypatch.setattr(capacity, "available_gib", lambda _text=None: state.memory)
    monkeypatch.setattr(container_engine, "container_exists", lambda _name: False)
    return state


def check(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["demo", "check", *arguments])
    return demo.main()


def run(command: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_a_machine_that_lacks_nothing_may_start(machine: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(monkeypatch) == 0


@pytest.mark.parametrize("command", [["make", "check-demo"], [*DEMO, "up"], [*DEMO, "down"]])
def test_a_second_demo_is_refused(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with first_checks.only_demo():
        done = run(command)

    assert done.returncode != 0
    where = f"process {os.getpid()} in {Path.cwd()}"
    assert f"another demo is being started or removed ({where}): wait for it, or end it there" in done.stderr
    assert done.stdout == ""


def test_a_demo_that_was_killed_keeps_nothing_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code = "import os, signal\nfrom kwitness.demo.first_checks import only_demo\n"
    run([sys.executable, "-c", code + "with only_demo(): os.kill(os.getpid(), signal.SIGKILL)"])

    with first_checks.only_demo():
        pass


def test_little_memory_and_a_full_disk_are_named_together(
    machine: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.memory, machine.disk = 4.0, 3.0

    assert check(monkeypatch) == 1
    memory, disk = capsys.readouterr().err.splitlines()
    assert memory.startswith(f"cannot start: {capacity.DEMO_GIB:g} GiB of memory must be free, and 4.0 GiB are: end")
    assert disk.startswith("cannot start: 20 GiB of disk must be free for ")
    assert "make clean-cache" in disk
    assert disk.endswith("; `make try` needs no Kubernetes, 1.4 GiB of memory and 0.5 GiB of disk")


def test_a_demo_that_stands_needs_no_room_again(machine: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.memory = machine.disk = 1.0
    monkeypatch.setattr(container_engine, "container_exists", lambda name: name == first_checks.NODE)

    assert check(monkeypatch) == 0


def test_a_cluster_without_a_kubeconfig_is_refused(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    done = run(["make", "check-demo", "CLUSTER=current", "REGISTRY=registry.example"], KUBECONFIG=nowhere)

    assert done.returncode != 0
    assert f"needs a kubeconfig with a current context, and {nowhere} is none: set KUBECONFIG" in done.stderr


def test_programs_that_are_missing_are_named_together(tmp_path: Path) -> None:
    for name in ("bash", "git", "make"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    (tmp_path / "python3").symlink_to(Path(sys.executable).resolve())
    done = run([str(tmp_path / "make"), "demo"], PATH=str(tmp_path), DOCKER_HOST="tcp://127.0.0.1:1")

    assert done.returncode != 0
    for needed in ("a JDK >= 17", "Maven >= 3.8", "Go >= 1.24", "Rust >= 1.95", "a container engine"):
        assert f"missing: {needed} is needed" in done.stderr
    assert done.stdout == ""


def test_one_processor_and_a_proxy_are_mentioned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0})
    environment = {"HTTP_PROXY": "http://proxy.example:3128", "NO_PROXY": "intranet.example, localhost"}
    one, proxy = first_checks.notes(environment)

    assert one.startswith("one processor: ")
    assert 'PARTS="clients gateway"' in one
    assert "NO_PROXY of this demo has loopback" in proxy
    assert environment["NO_PROXY"] == environment["no_proxy"] == "intranet.example,localhost,127.0.0.1,::1"
    assert first_checks.notes({**environment})[1:] == []


@pytest.mark.parametrize(
    "environment", [{}, {"NO_PROXY": "a"}, {"https_proxy": "http://proxy.example", "NO_PROXY": "*"}]
)
def test_nothing_is_changed_where_no_proxy_is_in_the_way(environment: dict[str, str]) -> None:
    assert not first_checks.exempt_loopback(environment)


@pytest.mark.parametrize(
    "failure",
    [
        CommandFailedError(["docker"], 1, "write /layer.tar: no space left on device"),
        OSError(errno.ENOSPC, "No space left on device"),
    ],
)
def test_a_disk_that_fills_is_answered_with_what_makes_room(
    failure: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fill(*_: object) -> None:
        raise failure

    monkeypatch.setattr(targets, "start_node", fill)
    monkeypatch.setattr("sys.argv", ["demo", "platform"])

    assert demo.main() == 1
    shown = capsys.readouterr().err
    assert "make room (`docker system prune`" in shown
    assert "Traceback" not in shown
