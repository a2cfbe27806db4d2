"""OpenTelemetry's SDKs for Java and Go against a collector: what it exposes is what the programs exported."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kwitness.e2e.binaries import GoCommand, built
from kwitness.images.image_parts import maven_package

from tests.collector.collector_process import OTLP, CollectorProcess
from tests.collector.otlp_programs import WAYS, Program, Prometheus

HERE = Path(__file__).parent
GO = GoCommand("otlp_go", HERE / "otlp_go")
BUCKETS = ("0.1", "0.5", "1.0", "+Inf")


def java() -> list[str | Path]:
    package = maven_package(HERE / "otlp_java")
    libraries = os.pathsep.join([str(package / "otlp-program.jar"), f"{package / 'libs'}/*"])
    return ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", libraries, "dev.kwitness.otlp.Program"]


def go() -> list[str | Path]:
    return [built(GO) / "otlp_go"]


@pytest.fixture
def begin(shared: CollectorProcess) -> Iterator[Callable[[list[str | Path]], Program]]:
    """Start a program by a command line; the arguments that both take are appended."""
    programs: list[Program] = []

    def one(command: list[str | Path]) -> Program:
        programs.append(Program(command, os.environ))
        return programs[-1]

    yield one
    for program in programs:
        program.kill()


@pytest.mark.parametrize("language", [java, go])
def test_services_are_exposed_as_they_counted_also_when_they_are_started_again(
    shared: CollectorProcess,
    begin: Callable[[list[str | Path]], Program],
    language: Callable[[], list[str | Path]],
) -> None:
    services = [f"{language.__name__}-{way}" for way in WAYS]
    command = [*language(), str(shared.otlp_grpc_port), str(shared.otlp_http_port), OTLP, *services]
    prometheus = Prometheus(shared, services)
    program = begin(command)
    for amount in (3, 4):
        program.add(amount)
        prometheus.scrape()
    assert prometheus.each() == {7}

    program.kill()
    program = begin(command)
    program.add(5)
    prometheus.scrape()

    assert prometheus.each() == {12}
    page = shared.scrape()
    for service in services:
        assert exposed(page, "app_orders_total", service) == [12], service
        assert exposed(page, "app_waiting", service) == [5.5], service
        assert exposed(page, "app_duration_seconds_sum", service) == [3], service
        buckets = [exposed(page, "app_duration_seconds_bucket", service, le=bound) for bound in BUCKETS]
        assert buckets == [[0], [12], [12], [12]], service


def exposed(
    page: dict[str, dict[frozenset[tuple[str, str]], float]], name: str, service: str, **labels: str
) -> list[float]:
    """The samples of one name of one service; a service has no more than one of a kind."""
    wanted = {("client_id", service), *labels.items()}
    return [value for found, value in page[name].items() if wanted <= found]
