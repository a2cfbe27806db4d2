"""OpenTelemetry's own SDK for Python against a collector: what Prometheus sees rise is what the programs counted."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kwitness.images import cache
from kwitness.images.commands import run
from kwitness.images.image_parts import find_uv

from tests.collector.collector_process import OTLP, CollectorProcess
from tests.collector.otlp_programs import COUNTS, WAYS, Program, Prometheus
from tests.eventually import eventually

Start = Callable[..., CollectorProcess]
LOCK = Path(__file__).with_name("opentelemetry.txt")
SERVICES = [(f"{name}-{way}", "0") for way in WAYS for name in ("checkout", "payment")]


@pytest.fixture(scope="module")
def sdk() -> Path:
    """The SDK and its exporters, fetched once; nothing of ours needs them."""

    def fetch(folder: Path) -> None:
        options = ["--quiet", "--no-deps", "--require-hashes", "--python", sys.executable]
        run([find_uv(), "pip", "install", *options, "--target", folder, "--requirements", LOCK])

    return cache.cached_folder("opentelemetry-sdk", cache.content_key(LOCK), fetch)


@pytest.fixture
def begin(sdk: Path) -> Iterator[Callable[..., Program]]:
    programs: list[Program] = []

    def one(collector: CollectorProcess, services: list[tuple[str, str]], timeout_s: float = 20) -> Program:
        settings = {
            "ports": {"grpc": collector.otlp_grpc_port, "http": collector.otlp_http_port},
            "token": OTLP,
            "services": services,
            "timeout_s": timeout_s,
        }
        command = [sys.executable, Path(__file__).with_name("otlp_program.py"), json.dumps(settings)]
        programs.append(Program(command, {**os.environ, "PYTHONPATH": str(sdk), "GRPC_ENABLE_FORK_SUPPORT": "0"}))
        return programs[-1]

    yield one
    for program in programs:
        program.kill()


def test_services_count_exactly_whoever_is_started_again_and_never_more_after_a_lost_state(
    start: Start, begin: Callable[..., Program]
) -> None:
    collector = start()
    prometheus = Prometheus(collector, {service for service, _ in SERVICES})
    program = begin(collector, SERVICES)
    for amount in (3, 4):
        program.add(amount)
        prometheus.scrape()
    assert prometheus.each() == {7}

    program.kill()
    program = begin(collector, SERVICES)
    program.add(5)
    prometheus.scrape()
    assert prometheus.each() == {12}

    collector.kill()
    collector.start()
    program.add(6)
    prometheus.scrape()
    assert prometheus.each() == {18}

    collector.kill()
    shutil.rmtree(collector.config["state_dir"])
    collector.start()
    program.add(7)
    for amount in (8, 9):
        program.add(amount)
        prometheus.scrape()

    by_way = {(name, service.rsplit("-", 2)[1]): risen for (name, service), risen in prometheus.risen.items()}
    assert {by_way[name, "delta"] for name in COUNTS} == {18 + 7 + 8 + 9}
    # What was counted until the first export that the empty collector saw is not known to be new.
    assert {by_way[name, "cumulative"] for name in COUNTS} == {18 + 8 + 9}


@pytest.mark.parametrize("way", ["cumulative-grpc", "delta-http"])
def test_a_hundred_exports_at_once_lose_nothing(start: Start, begin: Callable[..., Program], way: str) -> None:
    collector = start()
    program = begin(collector, [(f"fleet-{way}", str(number)) for number in range(100)])

    for amount in (1, 2):
        program.add(amount)
        collector.scrape()

    assert {name: collector.value(name) for name in COUNTS} == dict.fromkeys(COUNTS, 300.0)
    assert collector.value("kwitness_clients") == 100


@pytest.mark.parametrize("temporality", ["cumulative", "delta"])
def test_exports_that_are_given_up_never_count_twice(
    start: Start, begin: Callable[..., Program], temporality: str
) -> None:
    collector = start()
    services = [(f"fleet-{temporality}-grpc", str(number)) for number in range(30)]
    hasty = begin(collector, services, timeout_s=0.02)
    sent = 0

    def go_on() -> bool:
        nonlocal sent
        sent += 30
        hasty.add(1)
        return all(collector.value(name) for name in COUNTS)

    eventually(go_on)
    eventually(go_on)

    for name in COUNTS:
        assert 0 < (collector.value(name) or 0) <= sent
