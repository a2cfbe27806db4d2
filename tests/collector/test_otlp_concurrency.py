"""Many exports at once, senders that give up and senders that try again; the topic is one that takes its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import MetricsServiceStub
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData

from kwitness.collector.configuration import Settings
from kwitness.collector.failures import UnavailableError
from kwitness.collector.ingest.authentication import Authenticator, Caller
from kwitness.collector.ingest.bodies import Budget
from kwitness.collector.ingest.otlp_grpc import OtlpGrpc
from kwitness.collector.ingest.otlp_places import MAX_EXPORTS
from kwitness.collector.ingest.otlp_receiver import OtlpReceiver
from kwitness.collector.ledger import Ledger
from kwitness.collector.otlp.requests import Numbering
from kwitness.collector.otlp.wire import fields
from kwitness.collector.peers import Peers
from kwitness.collector.pipeline import Pipeline
from kwitness.collector.privacy.privacy import Privacy
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.sinks.topic_writer import Record, TopicWriter
from kwitness.collector.state.collector_state import CollectorState
from kwitness.contracts.collector_config import CollectorConfig
from kwitness.sandbox.ports import free_port

from tests.collector.collector_process import OTLP, TOPICS, parse
from tests.collector.collector_samples import CLUSTER, DELTA, add_number
from tests.collector.core_exposition import NO_ZEROS
from tests.collector.otlp_requests import request

CALLER = Caller("otlp", CLUSTER)
SIGNED = (("authorization", f"Bearer {OTLP}"),)


class SlowTopic(TopicWriter):
    """A topic whose brokers answer when they are told to."""

    def __init__(self, config: CollectorConfig, wait: Callable[[], Any]) -> None:
        super().__init__(config.kafka, "slow")
        self.writing = self.most = self.records = 0
        self._wait = wait

    async def write(self, records: Sequence[Record]) -> dict[int, str]:
        self.writing += 1
        self.most = max(self.most, self.writing)
        await self._wait()
        self.writing -= 1
        self.records += len(records)
        return {}


class Collector:
    """What takes exports in, without the processes around it."""

    def __init__(self, folder: Path, wait: Callable[[], Any]) -> None:
        (folder / "tokens").write_text(f"{OTLP} otlp {CLUSTER}\n")
        config = CollectorConfig.model_validate(
            {
                "cluster_id": CLUSTER,
                "namespace": "kwitness",
                "name": "main",
                "kafka": {"bootstrap_servers": ["127.0.0.1:1"]},
                "topics": TOPICS,
                "ingest": {"tokens_file": str(folder / "tokens")},
            }
        )
        self.state = CollectorState(folder, lambda: PythonCore(("client_id",), 1_000), 3)
        self.ledger = Ledger(0)
        self.config = config
        self.peers = peers = Peers(
            config, Settings(folder, "main-0", "127.0.0.1", 0, 0, 0, 0, None, folder / "token", None)
        )
        self.pipeline = Pipeline(self.state, self.ledger, peers, Privacy(config))
        self.topic = SlowTopic(config, wait)
        self.pipeline.writer, self.pipeline.topics = self.topic, config.topics
        self.budget = Budget()
        self.receiver = OtlpReceiver(self.pipeline, Numbering(0, 1), self.budget)
        self.grpc = OtlpGrpc(self.receiver, Authenticator(config, None))

    def counted(self) -> float:
        page = parse(b"".join(self.state.core.render(NO_ZEROS, openmetrics=False)).decode())
        return sum(page.get("app_orders_total", {}).values())


def export(number: int, amount: int = 1) -> ExportMetricsServiceRequest:
    data = MetricsData()
    add_number(data, "app.orders", amount, temporality=DELTA, start_ns=1_000 + number)
    attribute = data.resource_metrics[0].resource.attributes.add()
    attribute.key, attribute.value.string_value = "service.name", "checkout"
    return ExportMetricsServiceRequest.FromString(data.SerializeToString())


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - what changes is in another's hands
            await asyncio.sleep(0.01)


def test_exports_do_not_wait_for_each_others_acknowledgement(tmp_path: Path) -> None:
    async def scenario() -> Collector:
        collector = Collector(tmp_path, lambda: asyncio.sleep(0.02))
        await asyncio.gather(
            *(
                collector.receiver.export(export(number).SerializeToString(), CALLER, as_json=False)
                for number in range(40)
            )
        )
        return collector

    collector = asyncio.run(scenario())

    assert collector.topic.most == 40
    assert collector.counted() == 40


def test_an_export_that_comes_again_counts_once_whether_it_is_in_work_or_done(tmp_path: Path) -> None:
    async def scenario() -> Collector:
        acknowledged = asyncio.Event()
        collector = Collector(tmp_path, acknowledged.wait)
        first = asyncio.create_task(collector.receiver.export(export(1, 5).SerializeToString(), CALLER, as_json=False))
        await until(lambda: collector.topic.writing == 1)
        with pytest.raises(UnavailableError):
            await collector.receiver.export(export(1, 5).SerializeToString(), CALLER, as_json=False)
        acknowledged.set()
        await first
        assert (
            await collector.receiver.export(export(1, 5).SerializeToString(), CALLER, as_json=False)
        ).partial_success.rejected_data_points == 0
        await collector.receiver.export(export(1, 5).SerializeToString(), Caller("otlp", None), as_json=False)
        return collector

    collector = asyncio.run(scenario())

    assert collector.counted() == 10  # once for each caller
    assert collector.topic.records == 2


def test_who_gives_up_holds_its_place_and_bytes_until_the_work_has_ended_and_counts_once(tmp_path: Path) -> None:
    async def scenario() -> Collector:
        acknowledged = asyncio.Event()
        collector = Collector(tmp_path, acknowledged.wait)
        port = free_port()
        await collector.grpc.start(f"127.0.0.1:{port}", None)
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = MetricsServiceStub(channel)
            calls = [stub.Export(export(number), metadata=SIGNED, timeout=60) for number in range(MAX_EXPORTS)]
            await until(lambda: collector.topic.writing == MAX_EXPORTS)
            for call in calls:
                call.cancel()
            await asyncio.sleep(0.2)
            places, budget = collector.receiver.places.taken, collector.budget.used
            refused = await asyncio.gather(
                *(stub.Export(export(number), metadata=SIGNED, timeout=60) for number in range(3)),
                return_exceptions=True,
            )
            acknowledged.set()
            await until(lambda: collector.receiver.places.taken == 0)
            await asyncio.gather(
                *(stub.Export(export(number), metadata=SIGNED, timeout=60) for number in range(MAX_EXPORTS))
            )
        await collector.grpc.stop()

        assert (places, budget) == (MAX_EXPORTS, sum(export(number).ByteSize() for number in range(MAX_EXPORTS)))
        assert all(isinstance(one, grpc.aio.AioRpcError) for one in refused)
        for one in refused:
            assert isinstance(one, grpc.aio.AioRpcError)
            assert one.code() is grpc.StatusCode.UNAVAILABLE
            assert retry_after_s(one.trailing_metadata()) > 0
        return collector

    collector = asyncio.run(scenario())

    assert collector.counted() == MAX_EXPORTS
    assert collector.budget.used == 0
    hop = collector.ledger.hop("receive")
    assert hop.dropped == {"overloaded": 3, "duplicate": MAX_EXPORTS}
    assert (hop.accepted, hop.delivered, hop.queued) == (2 * MAX_EXPORTS + 3, MAX_EXPORTS, 0)


def retry_after_s(metadata: Any) -> int:
    """Read the delay in a ``google.rpc.Status``, whose third field holds a ``RetryInfo``."""
    [status] = [value for key, value in metadata if key == "grpc-status-details-bin"]
    [detail] = [status[at:end] for number, _, _, at, end in fields(status, 0, len(status)) if number == 3]
    found = AnyMessage.FromString(detail)
    assert found.type_url == "type.googleapis.com/google.rpc.RetryInfo"
    [delay] = [found.value[at:end] for _, _, _, at, end in fields(found.value, 0, len(found.value))]
    return Duration.FromString(delay).seconds


def test_a_client_whose_owner_changes_while_its_push_is_written_does_not_come_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        acknowledged = asyncio.Event()
        collector = Collector(tmp_path, acknowledged.wait)
        names = [f"app.number{number}" for number in range(20)]
        under_way = [
            collector.receiver.export(request(name, 1).SerializeToString(), CALLER, as_json=False) for name in names
        ]
        work = asyncio.gather(*under_way, return_exceptions=True)
        await until(lambda: collector.topic.writing == len(names))
        collector.peers.configure(collector.config.model_copy(update={"replicas": 2}))
        acknowledged.set()
        results = [getattr(result, "reason", "kept") for result in await work]
        moved = [collector.peers.owner(f"otlp//checkout/{name}") != collector.peers.own for name in names]
        assert results == ["OwnerChanged" if is_moved else "kept" for is_moved in moved]
        assert len(collector.state.clients) == len(names) - sum(moved)
        assert 0 < sum(moved) < len(names)

    asyncio.run(scenario())
