"""A Kafka server as an operating system process: format, start, wait until it serves, stop."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from pathlib import Path

from kwitness.sandbox.guarded_process import GuardedProcess
from kwitness.sandbox.java_logging import log4j2
from kwitness.sandbox.waiting import WaitFailedError, run_to_end, wait_until

_STARTED = "Kafka Server started"
_LOG4J = """\
log4j.rootLogger=INFO, stdout
log4j.appender.stdout=org.apache.log4j.ConsoleAppender
log4j.appender.stdout.layout=org.apache.log4j.PatternLayout
log4j.appender.stdout.layout.ConversionPattern=%d{ISO8601} %p %c %m%n
"""


class KafkaProcess:
    """One Kafka server; start, stop and kill may be called again and again, the data stays.

    Parameters
    ----------
    name
        For messages.
    folder
        Where the log and the logging configuration are written; exists.
    classpath
        Class path entries, the first wins.
    properties
        Path of the server's properties.
    java
        The `java` program.
    options
        Options of the virtual machine.
    """

    def __init__(
        self, *, name: str, folder: Path, classpath: Sequence[str], properties: Path, java: str, options: Sequence[str]
    ) -> None:
        self._name = name
        self.log_file = folder / "server.log"
        self._properties = properties
        (folder / "log4j.properties").write_text(_LOG4J)
        (folder / "log4j2.properties").write_text(log4j2("INFO"))
        self._java = [
            java,
            f"-Dlog4j.configuration=file:{folder / 'log4j.properties'}",
            f"-Dlog4j2.configurationFile={folder / 'log4j2.properties'}",
            *options,
            "-cp",
            os.pathsep.join(classpath),
        ]
        self._process: GuardedProcess | None = None

    @property
    def pid(self) -> int | None:
        """The process id while the server runs."""
        return self._process.process.pid if self._process is not None and self._process.running else None

    @property
    def running(self) -> bool:
        """True while the process runs."""
        return self.pid is not None

    def tool(self, main_class: str, *arguments: str) -> str:
        """Run a command line tool of the same Kafka version and return what it printed.

        Raises
        ------
        RuntimeError
            It ended with another code than 0.
        """
        command = [*self._java, main_class, *arguments]
        done = run_to_end(command)
        if done.returncode != 0:
            output = (done.stdout + done.stderr)[-3000:]
            raise RuntimeError(f"{main_class} of {self._name} ended with {done.returncode}:\n{output}")
        return done.stdout

    def start(self) -> None:
        """Start the server and wait until it says that it serves.

        Raises
        ------
        RuntimeError
            It ended, or nothing moved any more before it served; the end of its log is in the message.
        """
        if self.running:
            return
        self.kill()
        seen = self.log_file.stat().st_size if self.log_file.exists() else 0
        command = [*self._java, "kafka.Kafka", str(self._properties)]
        self._process = GuardedProcess(command, log_file=self.log_file)
        try:
            wait_until(
                lambda: self._serves(seen),
                lambda found: found[0],
                what=self._name,
                needs=[self._process.process],
                every=0.1,
            )
        except WaitFailedError as error:
            self.kill()
            raise RuntimeError(f"{error}; its log ends:\n{self._tail()}") from error

    def stop(self, *, timeout: float = 20) -> None:
        """Ask the server to end, and end it after `timeout` seconds."""
        if self._process is not None:
            self._process.stop(timeout=timeout)
            self._process = None

    def kill(self) -> None:
        """End the server as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process = None

    def pause(self) -> None:
        """Freeze the server: its sockets stay open and nothing answers."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a frozen server go on."""
        self._signal(signal.SIGCONT)

    def logs(self) -> str:
        """Everything the server has logged so far, over restarts."""
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def _serves(self, begin: int) -> tuple[bool, int]:
        """Return whether the log reports a start after its first `begin` bytes, and how many follow them."""
        with self.log_file.open("rb") as log:
            log.seek(begin)
            text = log.read()
        return _STARTED.encode() in text, len(text)

    def _tail(self) -> str:
        return "\n".join(self.logs().splitlines()[-40:])

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.signal(number)
