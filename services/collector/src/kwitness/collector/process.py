"""The one place that puts the collector together, keeps it up to date, and takes it down in order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Final

from kwitness.collector.clock import ClockSteps
from kwitness.collector.configuration import Configuration, Settings
from kwitness.collector.core import TelemetryCore
from kwitness.collector.ingest import bodies
from kwitness.collector.ingest.authentication import Authenticator
from kwitness.collector.ingest.client_pods_api import ClientPodsApi
from kwitness.collector.ingest.connections_api import ConnectionsApi
from kwitness.collector.ingest.directives_api import DirectivesApi
from kwitness.collector.ingest.events_api import EventsApi
from kwitness.collector.ingest.http_server import Listener, Requests
from kwitness.collector.ingest.inventory_api import InventoryApi
from kwitness.collector.ingest.otlp_grpc import OtlpGrpc
from kwitness.collector.ingest.otlp_http import OtlpHttp
from kwitness.collector.ingest.otlp_receiver import OtlpReceiver
from kwitness.collector.ingest.push_api import PushApi
from kwitness.collector.ingest.silence_api import SilenceApi
from kwitness.collector.ingest.subscriptions_api import SubscriptionsApi
from kwitness.collector.ingest.token_review import TokenReviewer
from kwitness.collector.ingest.told_bodies import Told
from kwitness.collector.ingest.windows_api import WindowsApi
from kwitness.collector.inventory.asked_intervals import AskedIntervals
from kwitness.collector.inventory.client_info import ClientInfo
from kwitness.collector.ledger import Ledger, forward_hop
from kwitness.collector.malloc import trim
from kwitness.collector.metrics_page import MetricsPage
from kwitness.collector.observation import Observation
from kwitness.collector.otlp.requests import Numbering
from kwitness.collector.peers import Peers
from kwitness.collector.pipeline import Pipeline, now_ms
from kwitness.collector.privacy.privacy import Privacy
from kwitness.collector.prometheus.accumulate import PythonCore
from kwitness.collector.sinks.forwarded_counts import ForwardedCounts
from kwitness.collector.sinks.otlp_forward import OtlpForward
from kwitness.collector.sinks.topic_writer import TopicWriter
from kwitness.collector.state.collector_state import CollectorState
from kwitness.contracts.collector_config import CollectorConfig, ForwardConfig
from kwitness.contracts.denied_addresses import DeniedAddresses
from kwitness.contracts.endpoints import DIRECTIVES_PATH, INTERCEPTOR_DIRECTIVES_PATH, MAX_QUESTION
from kwitness.runtime.server_certificate import ServerCertificate

_LOG = logging.getLogger(__name__)
_TICK_S: Final = 1.0
_TRIM_EVERY_S: Final = 30.0


class Collector:
    """A running collector: `start`, then `serve` until it is cancelled, then `stop`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._configuration = Configuration(settings.config)
        self._config = self._configuration.current()
        config = self._config
        epoch_ms = now_ms()
        self._ready = False
        self._state = CollectorState(Path(config.state_dir), self._core, config.prometheus.expire_after_missed_pushes)
        self._state.asked_interval_ms = AskedIntervals(self._configuration.subscriptions).of
        self._state.clock_step_ms = ClockSteps().step_ms
        self._state.scrape_interval_ms = config.prometheus.scrape_interval_ms
        self._peers = Peers(config, settings)
        self._pipeline = Pipeline(self._state, Ledger(epoch_ms), self._peers, Privacy(config))
        self._observation = Observation(self._pipeline, config, self._configuration.cluster_subscriptions)
        self._state.follow_clock = self._observation.clock_was_set
        counted = (self._observation.totals, self._observation.interception.totals, self._observation.headers.series)
        service = {
            "service.name": f"kwitness-collector-{config.name}",
            "service.namespace": config.namespace,
            "service.instance.id": settings.pod_name,
        }
        self._counts = ForwardedCounts(counted, service, epoch_ms)
        self._client_info = ClientInfo(
            config.prometheus, self._configuration.owners, lambda: self._observation.windows.clients
        )
        reviewer = TokenReviewer(settings.api_server) if settings.api_server else None
        self._authenticator = Authenticator(config, reviewer)
        self._requests: Requests = Counter()
        budget = bodies.Budget(body_s=settings.time_limits.body_s)
        ingest = config.ingest
        self._certificate = (
            ServerCertificate(ingest.tls_cert_file, ingest.tls_key_file)
            if ingest.tls_cert_file and ingest.tls_key_file
            else None
        )
        otlp = OtlpReceiver(self._pipeline, Numbering(self._peers.own, epoch_ms), budget)
        self._grpc = OtlpGrpc(otlp, self._authenticator, settings.time_limits.silent_s)
        self._listeners = self._make_listeners(otlp, budget)

    def _core(self) -> TelemetryCore:
        prometheus = self._config.prometheus
        return PythonCore(tuple(prometheus.labels), prometheus.max_series)

    def _make_listeners(self, otlp: OtlpReceiver, budget: bodies.Budget) -> list[Listener]:
        settings, certificate = self._settings, self._certificate
        silent_s = settings.time_limits.silent_s
        page = Listener(self._requests, settings.host, settings.metrics_port, None, silent_s)
        MetricsPage(self._pipeline, self._observation, self._client_info, self._requests, self._trouble).add_to(
            page.application
        )
        own = Listener(self._requests, settings.host, settings.port, certificate, silent_s, longest_line=MAX_QUESTION)
        PushApi(self._pipeline, self._authenticator, budget).add_to(own.application)
        EventsApi(self._observation, self._authenticator, self._peers, budget).add_to(own.application)
        told = Told(self._authenticator, self._peers, budget)
        for path, directives in (
            (DIRECTIVES_PATH, self._observation.directives),
            (INTERCEPTOR_DIRECTIVES_PATH, self._observation.interception.directives),
        ):
            DirectivesApi(path, directives, told).add_to(own.application)
        SubscriptionsApi(self._configuration, self._authenticator, told).add_to(own.application)
        ClientPodsApi(self._pipeline.pods, told).add_to(own.application)
        inventory = InventoryApi(
            self._pipeline, self._observation, self._authenticator, self._peers, self._configuration
        )
        inventory.add_to(own.application)
        connections = ConnectionsApi(self._observation, self._authenticator, self._peers, self._configuration)
        connections.add_to(own.application)
        windows = WindowsApi(
            self._observation.windows,
            self._observation.rewinds,
            self._authenticator,
            self._peers,
            self._configuration,
        )
        windows.add_to(own.application)
        silence = SilenceApi(self._pipeline, self._observation, self._authenticator, self._peers, self._configuration)
        silence.add_to(own.application)
        plain = Listener(self._requests, settings.host, settings.otlp_http_port, certificate, silent_s)
        OtlpHttp(otlp, self._authenticator).add_to(plain.application)
        return [page, own, plain]

    def _trouble(self) -> str | None:
        return None if self._ready else "starting"

    async def start(self) -> None:
        """Read the state back, connect, then listen: nothing is taken before what was known is known again."""
        privacy = self._pipeline.privacy
        self._state.load(privacy.made, privacy.mark)
        self._release_foreign()
        self._state.save()
        self._connect(self._config)
        self._follow_forwards(self._config)
        for listener in self._listeners:
            await listener.start()
        files = self._certificate.files if self._certificate is not None else None
        settings = self._settings
        await self._grpc.start(f"{settings.host}:{settings.otlp_grpc_port}", files)
        self._ready = True
        _LOG.info("collecting", extra={"replica": self._peers.own, "replicas": self._peers.replicas})

    async def serve(self) -> None:
        """Expire, save and follow changed files until cancelled."""
        trimmed = 0.0
        while True:
            await asyncio.sleep(_TICK_S)
            began = time.monotonic()
            self._state.expire(now_ms())
            self._observation.expire(now_ms())
            await self._pipeline.pods.bind(self._state.clients)
            await self._state.save_when_due()
            await self._counts.offer_when_due(self._pipeline.forwards, self._state.scrape_interval_ms, now_ms())
            if self._certificate is not None:
                self._certificate.refresh()
            if self._pipeline.writer is not None:
                await asyncio.to_thread(self._pipeline.writer.refresh)
            config = self._configuration.current()
            if config != self._config:
                await self._reconfigure(config)
            elif self._pipeline.privacy.is_stale():
                self._follow_privacy()
            if began > trimmed + _TRIM_EVERY_S:
                trimmed = began
                trim()
            if time.monotonic() - began > _TICK_S:
                _LOG.info("housekeeping took long", extra={"seconds": round(time.monotonic() - began, 2)})

    async def _reconfigure(self, config: CollectorConfig) -> None:
        old, self._config = self._config, config
        _LOG.info("the configuration changed")
        self._authenticator.configure(config)
        self._peers.configure(config)
        self._observation.configure(config)
        if (config.filter, config.identity, config.identity_key_file) != (
            old.filter,
            old.identity,
            old.identity_key_file,
        ):
            self._follow_privacy()
        self._client_info.configure(config.prometheus)
        self._state.missed_pushes = config.prometheus.expire_after_missed_pushes
        self._state.scrape_interval_ms = config.prometheus.scrape_interval_ms
        exposed = (config.prometheus.labels, config.prometheus.max_series)
        if exposed != (old.prometheus.labels, old.prometheus.max_series):
            self._state.renew_core()
        if config.replicas != old.replicas:
            self._state.count_from(now_ms())
        self._release_foreign()
        if (config.kafka, config.topics) != (old.kafka, old.topics):
            writer, self._pipeline.writer = self._pipeline.writer, None
            self._connect(config)
            if writer is not None:
                await asyncio.to_thread(writer.stop)
        if config.forward != old.forward:
            for forward in self._follow_forwards(config):
                await forward.stop()

    def _follow_privacy(self) -> None:
        """Treat by the newest settings and key; what other ones left of a push goes nowhere any more."""
        privacy = self._pipeline.privacy = Privacy(self._config)
        if not privacy.made(self._state.mark):
            _LOG.info("spec.filter, spec.identity or their key changed; clients and series are begun again")
            self._state.begin_again(privacy.mark)
            for forward in self._pipeline.forwards:
                forward.clear("settings_changed")

    def _release_foreign(self) -> None:
        own = self._peers.own
        self._state.release(lambda instance: self._peers.owner(instance) == own)

    def _connect(self, config: CollectorConfig) -> None:
        self._pipeline.topics = config.topics
        if config.topics is not None:
            name = self._settings.pod_name.removeprefix("kwitness-collector-")
            self._pipeline.writer = TopicWriter(config.kafka, f"kwitness-collector-{name}")
            self._pipeline.writer.start()

    def _follow_forwards(self, config: CollectorConfig) -> list[OtlpForward]:
        """Forward as configured, unchanged endpoints with what waits for them; returns those that are to be stopped."""
        before = {forward.config: forward for forward in self._pipeline.forwards}
        self._pipeline.forwards = [
            before.pop(one) if one in before else self._start_forward(one) for one in config.forward
        ]
        return list(before.values())

    def _start_forward(self, config: ForwardConfig) -> OtlpForward:
        hop = self._pipeline.ledger.hop(forward_hop(config.name))
        note_rejected = partial(self._state.count_error, "forward_partial_success")
        forward = OtlpForward(config, DeniedAddresses(self._config.denied_addresses), hop, note_rejected)
        forward.start()
        return forward

    async def stop(self) -> None:
        """Let requests end, then save: what was answered is in the state."""
        self._ready = False
        await self._grpc.stop()
        for listener in reversed(self._listeners):
            await listener.stop()
        for forward in self._pipeline.forwards:
            await forward.stop()
        if self._pipeline.writer is not None:
            await asyncio.to_thread(self._pipeline.writer.stop)
        await self._peers.close()
        self._state.close()
        _LOG.info("stopped")


async def run(settings: Settings, stopping: asyncio.Event) -> None:
    """Run a collector until ``stopping`` is set."""
    collector = Collector(settings)
    try:
        await collector.start()
        serving = asyncio.create_task(collector.serve())
        waiting = asyncio.create_task(stopping.wait())
        await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        for task in (serving, waiting):
            task.cancel()
        failures = await asyncio.gather(serving, waiting, return_exceptions=True)
        for failure in failures:
            if isinstance(failure, Exception):
                raise failure
    finally:
        with contextlib.suppress(asyncio.CancelledError):
            await collector.stop()
