"""An application that keeps a journal, in a process of its own with one runtime's interceptors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kwitness.e2e.kafka.local_broker import Listener, LocalBroker
from kwitness.images.image_parts import java_interceptors

from tests.eventually import eventually
from tests.interceptors_java.conftest import SMALL_JVM, clients
from tests.interceptors_librdkafka.interceptors_server import InterceptorsServer
from tests.interceptors_librdkafka.plugin_library import Intercepted, built_plugin
from tests.interceptors_python.injected import injected_folder
from tests.java_programs import program

RUNTIMES: Final = ("python", "librdkafka", "java")
_PROGRAMS: Final = Path(__file__).with_name("programs")
_KAFKA_CLIENTS: Final = "4.3.1"
_LONGEST_S: Final = 3_000
_WINDOW_MS: Final = 1_000


@dataclass(frozen=True)
class CountedProgram:
    """How a program is started; `folder` is its own, and the journal is in it."""

    runtime: str
    folder: Path

    @property
    def journal(self) -> Path:
        """The file that it writes."""
        return self.folder / "journal"

    def start(
        self,
        broker: LocalBroker,
        collector: InterceptorsServer,
        prefix: str,
        records: int,
        *,
        window_ms: int = _WINDOW_MS,
    ) -> Running:
        """Start it; with no records it produces until it is killed."""
        intercepted = Intercepted(self.folder, self.folder / "interceptors.json")
        intercepted.tell(collector.url, window_ms=window_ms)
        addresses = [broker.bootstrap, broker.bootstrap_of(Listener.SASL_PLAINTEXT_PLAIN)]
        arguments = [*addresses, prefix, str(records), str(self.journal)]
        in_python = [sys.executable, _PROGRAMS / "counted.py", *arguments]
        match self.runtime:
            case "python":
                folder = injected_folder(self.folder / "python")
                return Running(intercepted.start(in_python, PYTHONPATH=str(folder)), broker, collector)
            case "librdkafka":
                return Running(intercepted.start([*in_python, built_plugin()]), broker, collector)
            case _:
                counted = program(_PROGRAMS / "Counted.java", clients(_KAFKA_CLIENTS))
                java = ["java", *SMALL_JVM, f"-javaagent:{java_interceptors()}", *counted]
                return Running(intercepted.start([*java, *arguments]), broker, collector)


@dataclass(frozen=True)
class Running:
    """A program that was started."""

    process: subprocess.Popen[str]
    broker: LocalBroker
    collector: InterceptorsServer

    def serve(self) -> None:
        """Do what it asks for until it ends.

        Raises
        ------
        AssertionError
            It failed, with what it wrote.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        asked = {"stop": self._stop, "continue": self._continue}
        limit = threading.Timer(_LONGEST_S, self.process.kill)
        limit.start()
        try:
            for line in self.process.stdout:
                asked[line.strip()]()
                self.process.stdin.write("done\n")
                self.process.stdin.flush()
            _, errors = self.process.communicate()
        finally:
            self._continue()
            self.process.kill()
            limit.cancel()
        assert self.process.returncode == 0, f"{self.process.args!r} ended with {self.process.returncode}: {errors}"

    def kill(self) -> None:
        """End it as a node does that has no memory left."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()
        assert self.process.returncode == -signal.SIGKILL

    def _stop(self) -> None:
        """Broker and collector answer nobody."""
        self.collector.is_down = True
        self._signal_broker(signal.SIGSTOP)
        # A thread that runs on another processor goes on for a moment, and may answer one request more.
        eventually(self._has_broker_stopped, every=0.001)

    def _continue(self) -> None:
        self._signal_broker(signal.SIGCONT)
        self.collector.is_down = False

    def _has_broker_stopped(self) -> bool:
        stats = Path(f"/proc/{self.broker.process.pid}/task").glob("*/stat")
        try:
            return all(stat.read_text().rpartition(") ")[2].startswith("T") for stat in stats)
        except OSError:  # of a thread that has just ended
            return False

    def _signal_broker(self, number: signal.Signals) -> None:
        assert self.broker.process.pid is not None
        os.kill(self.broker.process.pid, number)
