"""Kafka's own tools for tests of clients, which say in JSON what they did."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from kwitness.e2e.kafka.prepared import archive_options, classpath
from kwitness.sandbox.java import java_program
from kwitness.sandbox.waiting import wait_for_exit

from tests.observer.client_programs import NEWEST, SMALL_JVM

__all__ = ["Tool", "config_command", "performance", "share_consumer", "verifiable_consumer", "verifiable_producer"]

PACKAGE: Final = "org.apache.kafka.tools"
ASKED_TO_END: Final = 143
FOR_EVER: Final = -1


class Tool:
    """A tool of the newest Kafka that runs; a context manager that leaves none behind.

    Parameters
    ----------
    name
        Of its class, with its package unless that is the one of nearly all.
    arguments
        Of its command line.
    environment
        Variables beside those of this process.
    """

    def __init__(self, name: str, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        # A server's classes are most of a tool's.
        java = [java_program(), *SMALL_JVM, *archive_options(NEWEST)]
        command = [
            *java,
            "-Dlog4j2.level=ERROR",
            "-cp",
            os.pathsep.join(classpath(NEWEST)),
            name if name.startswith("kafka.") else f"{PACKAGE}.{name}",
        ]
        variables = {**os.environ, **(environment or {})}
        self._folder = tempfile.TemporaryDirectory()
        self._output = Path(self._folder.name) / "output"
        with self._output.open("w") as output:
            self._process = subprocess.Popen(
                [*command, *arguments], env=variables, stdout=output, stderr=subprocess.STDOUT
            )

    def ended(self) -> str:
        """Wait for its end; everything that it wrote.

        Raises
        ------
        AssertionError
            It failed, or did not end.
        """
        try:
            code = wait_for_exit(self._process)
        finally:
            self._process.kill()
        assert code in {0, ASKED_TO_END}, f"ended with {code}: {self.said()[-4000:]}"
        return self.said()

    def stop(self) -> None:
        """Ask it to end, and wait."""
        self._process.terminate()
        self.ended()

    def said(self) -> str:
        """Everything that it has written."""
        return self._output.read_text()

    def consumed(self) -> int:
        """How many records a consumer has told of."""
        return sum(event["count"] for event in self.events("records_consumed"))

    def events(self, name: str) -> list[dict[str, Any]]:
        """What it has told under this name; a line of which it has written a part is left out."""
        lines = [json.loads(line) for line in self.said().splitlines() if line.startswith("{") and line.endswith("}")]
        return [line for line in lines if line.get("name") == name]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()


def config_command(bootstrap: str, *arguments: str) -> Tool:
    """`kafka-configs`."""
    return Tool("kafka.admin.ConfigCommand", "--bootstrap-server", bootstrap, *arguments)


def performance(bootstrap: str, topic: str, records: int, codec: str, acks: str) -> Tool:
    """`kafka-producer-perf-test`."""
    size = ["--num-records", f"{records}", "--record-size", "100", "--throughput", "-1"]
    properties = [f"bootstrap.servers={bootstrap}", f"compression.type={codec}", f"acks={acks}"]
    if acks != "all":
        properties.append("enable.idempotence=false")
    return Tool("ProducerPerformance", "--topic", topic, *size, "--command-property", *properties)


def verifiable_producer(bootstrap: str, topic: str, records: int, *more: str) -> Tool:
    """`kafka-verifiable-producer`."""
    arguments = ["--bootstrap-server", bootstrap, "--topic", topic, "--max-messages", f"{records}"]
    return Tool("VerifiableProducer", *arguments, *more)


def verifiable_consumer(bootstrap: str, topic: str, records: int = FOR_EVER, *more: str) -> Tool:
    """`kafka-verifiable-consumer`, in a group of its own."""
    arguments = ["--bootstrap-server", bootstrap, "--topic", topic, "--max-messages", f"{records}"]
    return Tool("VerifiableConsumer", *arguments, "--group-id", f"{topic}-verifiable", *more)


def share_consumer(bootstrap: str, topic: str, records: int = FOR_EVER) -> Tool:
    """`kafka-verifiable-share-consumer`, in a share group that begins with the topic's first record."""
    arguments = ["--bootstrap-server", bootstrap, "--topic", topic, "--max-messages", f"{records}"]
    modes = ["--acknowledgement-mode", "sync", "--offset-reset-strategy", "earliest"]
    return Tool("VerifiableShareConsumer", *arguments, "--group-id", f"{topic}-share", *modes)
