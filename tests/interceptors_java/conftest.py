"""The agent, and applications on several versions of kafka-clients."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run
from kwitness.images.image_parts import java_interceptors
from kwitness.sandbox.waiting import run_to_end

from tests.interceptors_java.reported import Reported
from tests.java_programs import program

PROGRAMS = Path(__file__).with_name("programs")
SMALL_JVM = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
OLDEST = "2.8.2"
Application = Callable[..., str]


@pytest.fixture
def reported() -> Iterator[Reported]:
    with Reported() as reported:
        yield reported


def clients(version: str) -> str:
    """The class path of a kafka-clients."""
    artifacts = (f"org.apache.kafka:kafka-clients:{version}", "org.slf4j:slf4j-api:1.7.36")

    def make(folder: Path) -> None:
        for artifact in artifacts:
            copy = ["dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
            run(["mvn", "-q", "-B", "--no-transfer-progress", *copy])

    return f"{cached_folder('kafka-clients', content_key(*artifacts), make)}/*"


def agent(reported: Reported, folder: Path, java: str = "java") -> Application:
    """Runs a program under the agent until it ends, and returns what it says of itself; `java` is the runtime."""
    token = folder / "token"
    token.write_text("token")
    settings = folder / "interceptors.json"

    def start(version: str, source: Path, *arguments: str, wanted: dict[str, object], **environment: str) -> str:
        settings.write_text(
            json.dumps(
                {
                    "installation": "kwitness",
                    "cluster_id": "cluster",
                    "namespace": "shop",
                    "name": "orders",
                    "suspend": False,
                    "window_ms": 1000,
                    "attributes": {"team": "shop"},
                    "collector": {"url": reported.url, "replicas": 1, "token_file": str(token)},
                    **wanted,
                }
            )
        )
        under_the_agent = [java, *SMALL_JVM, f"-javaagent:{java_interceptors()}"]
        process = run_to_end(
            [*under_the_agent, *program(source, clients(version), compiled_with=clients(OLDEST)), *arguments],
            env={
                **os.environ,
                "KWITNESS_INTERCEPTORS": str(settings),
                "KWITNESS_POD_NAMESPACE": "shop",
                "KWITNESS_POD_NAME": "orders-0",
                **environment,
            },
            check=True,
        )
        return process.stdout.strip()

    return start


@pytest.fixture
def under_the_agent(reported: Reported, tmp_path: Path) -> Application:
    """The same for one test."""
    return agent(reported, tmp_path)
