"""Applications that are measured: processes that work when they are told to, with interceptors or without."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.bench.paired_measurement import COMPONENT_CORE, GENERATOR_CORE
from kwitness.contracts.interceptor_settings import (
    OFF_VARIABLE,
    POD_NAME_VARIABLE,
    POD_NAMESPACE_VARIABLE,
    SETTINGS_VARIABLE,
    InterceptorSettings,
)
from kwitness.e2e.kafka.local_broker import LocalBroker

sys.path.insert(0, str(Path(__file__).parents[3]))

from kwitness.sandbox.waiting import wait_for_exit

from tests.interceptors_librdkafka.interceptors_server import InterceptorsServer

ROOT = Path(__file__).parents[3]
CLIENTS = ROOT / "bench/clients"
PLAIN, OURS = "without", "kwitness"
WRITTEN, READ = "written", "read"
VALUE_BYTES = 1_000
BROKER = "4.3.1"
# What was written is soon deleted: a run writes more than disks are asked to keep.
_WRITTEN = {"segment.bytes": f"{64 << 20}", "retention.bytes": f"{128 << 20}"}
_READ = {"retention.bytes": "-1", "retention.ms": "-1"}

Answer = dict[str, float]
"""What an application said of one work."""
Block = dict[str, dict[str, Answer]]
"""Answers by work and application."""


class Application:
    """A process that takes a line with a work and a number of records, and answers by one of JSON.

    Parameters
    ----------
    command
        The program; broker, topics and the size of values are added.
    bootstrap
        Address of the broker.
    variables
        Of its environment, which has none of ours else.
    """

    def __init__(self, command: Sequence[str | Path], bootstrap: str, variables: Mapping[str, str]) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith("KWITNESS_")}
        arguments = (bootstrap, WRITTEN, READ, str(VALUE_BYTES))
        # A process inherits the processor, and sees one.
        os.sched_setaffinity(0, {COMPONENT_CORE})
        try:
            self._process = subprocess.Popen(
                [*command, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**own, **variables},
            )
        finally:
            os.sched_setaffinity(0, {GENERATOR_CORE})

    def does(self, work: str, records: int) -> Answer:
        """Have it work, and take what it says.

        Raises
        ------
        RuntimeError
            It ended.
        """
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the application has no input or output")
        self._process.stdin.write(f"{work} {records}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args!r} ended while it was to {work}: see what it wrote before")
        answer: Answer = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            wait_for_exit(self._process)
        finally:
            self._process.kill()


def intercepted(folder: Path, collector: str, kinds: Sequence[str]) -> dict[str, str]:
    """Write settings with these interceptors, and return the variables that an injected pod has."""
    token, file = folder / "token", folder / "interceptors.json"
    token.write_text("token")
    content: dict[str, Any] = {
        "installation": "kwitness",
        "cluster_id": "4L6g3nShT-eMCtK--X86sw",
        "namespace": "shop",
        "name": "orders",
        "suspend": False,
        "interceptors": [{"type": kind, "name": kind.lower()} for kind in kinds],
        "collector": {"url": collector, "replicas": 1, "token_file": str(token)},
    }
    file.write_text(InterceptorSettings.model_validate(content).model_dump_json())
    return {
        SETTINGS_VARIABLE: str(file),
        POD_NAMESPACE_VARIABLE: "shop",
        POD_NAME_VARIABLE: "orders-0",
        OFF_VARIABLE: "0",
    }


@contextmanager
def broker_and_collector() -> Iterator[tuple[str, InterceptorsServer]]:
    """A broker with both topics, and a collector that takes everything, on the generator's processor."""
    os.sched_setaffinity(0, {GENERATOR_CORE})
    with LocalBroker(BROKER) as broker, InterceptorsServer() as collector:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        topics = [NewTopic(WRITTEN, 1, 1, config=_WRITTEN), NewTopic(READ, 1, 1, config=_READ)]
        for made in admin.create_topics(topics).values():
            made.result()
        yield broker.bootstrap, collector
    if collector.broken:
        raise RuntimeError(f"what interceptors reported is not as the contract says: {collector.broken[0]}")


def measured(
    applications: Mapping[str, Application],
    works: Sequence[str],
    *,
    blocks: int,
    records: int,
    warm: int,
    of_ours: Sequence[str] = (),
) -> list[Block]:
    """Every work of every application in each block, applications in random order.

    Parameters
    ----------
    of_ours
        Works of the application with our interceptors alone.
    records
        Of each work in a block.
    warm
        Records of each work before the first block.
    """
    applications[PLAIN].does("fill", records)
    who = {**{work: list(applications) for work in works}, **{work: [OURS] for work in of_ours}}
    for work, names in who.items():
        for name in names:
            for done in range(0, warm, records):
                applications[name].does(work, min(warm - done, records))
    found: list[Block] = []
    for number in range(blocks):
        block: Block = {}
        for work, names in who.items():
            order = random.sample(names, len(names))
            block[work] = {name: applications[name].does(work, records) for name in order}
            shown = ", ".join(f"{name} {one['cpu_s'] / records * 1e6:.3f}" for name, one in block[work].items())
            print(f"  {number + 1}/{blocks} {work}, CPU µs a record: {shown}", flush=True)
        found.append(block)
    return found


def has_counted(collector: InterceptorsServer, records: int) -> None:
    """Hold against what was done what interceptors say.

    Raises
    ------
    RuntimeError
        Fewer records were reported: interceptors that do nothing would be quick.
    """
    told = min(collector.total("acknowledged"), collector.total("consumed"))
    if told < records:
        raise RuntimeError(f"interceptors reported {told} records, and {records} passed")
