"""Responses as Kafka's own classes read them, in a process of Java that is asked again and again."""

from __future__ import annotations

import json
import subprocess
from types import TracebackType
from typing import Any, Self

from tests.observer.client_programs import CLIENTS, NEWEST, java_classpath, kafka_jars

Json = dict[str, Any]


class KafkaMessages:
    """Use as a context manager."""

    def __init__(self) -> None:
        classpath = java_classpath(CLIENTS / "messages", NEWEST, kafka_jars(NEWEST))
        self._process = subprocess.Popen(
            ["java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classpath, "ReadResponses"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def read(self, key: int, version: int, frame: bytes) -> Json:
        """A response, from its correlation id on; with the numbers of `unknownTags`, and how much was left `unread`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(key, version, frame.hex(), file=self._process.stdin, flush=True)
        return dict(json.loads(self._process.stdout.readline()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()
