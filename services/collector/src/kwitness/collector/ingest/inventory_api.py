"""GET /v1/clients, /v1/subscriptions/{id}, /v1/clusters/{cluster_id}: any replica answers for all."""

from __future__ import annotations

from aiohttp import web

from kwitness.collector.configuration import Configuration
from kwitness.collector.failures import NotFoundError
from kwitness.collector.ingest.authentication import Authenticator
from kwitness.collector.ingest.reading import answer, asks_for_part, asks_locally, others_parts, page_limit
from kwitness.collector.inventory import reports, subscription_report
from kwitness.collector.inventory.header_report import with_headers
from kwitness.collector.inventory.observer_report import with_observers
from kwitness.collector.inventory.reporter_report import with_reporters
from kwitness.collector.inventory.reports import ClientPart
from kwitness.collector.inventory.subscription_report import SubscriptionPart
from kwitness.collector.observation import Observation
from kwitness.collector.peers import Peers
from kwitness.collector.pipeline import Pipeline, now_ms
from kwitness.contracts.endpoints import CLIENTS_PATH, CLUSTER_PATH, SUBSCRIPTION_PATH
from kwitness.contracts.envelopes import ClusterState


class InventoryApi:
    """Handlers; each asks the other replicas for their parts, unless ``local=true`` says to answer for this one."""

    def __init__(
        self,
        pipeline: Pipeline,
        observation: Observation,
        authenticator: Authenticator,
        peers: Peers,
        configuration: Configuration,
    ) -> None:
        self._pipeline = pipeline
        self._state = pipeline.state
        self._observation = observation
        self._ledger = pipeline.ledger
        self._authenticator = authenticator
        self._peers = peers
        self._configuration = configuration

    def add_to(self, application: web.Application) -> None:
        """Add the routes."""
        application.router.add_get(CLIENTS_PATH, self.clients)
        application.router.add_get(SUBSCRIPTION_PATH, self.subscription)
        application.router.add_get(CLUSTER_PATH, self.cluster)

    async def clients(self, request: web.Request) -> web.StreamResponse:
        """Answer a page of client instances, sorted by cluster and instance id."""
        local = await asks_locally(request, self._authenticator)
        limit = page_limit(request)
        after = request.query.get("continue", "")
        subscriptions = self._configuration.subscriptions()
        own = reports.clients_page(self._state.clients, subscriptions, limit, after)
        if local:
            return answer(own if asks_for_part(request) else reports.merge_pages([own], limit, ()))
        parts, missing = await others_parts(request, self._peers, ClientPart)
        return answer(reports.merge_pages([own, *parts], limit, missing))

    async def subscription(self, request: web.Request) -> web.StreamResponse:
        """Answer one subscription in numbers."""
        local = await asks_locally(request, self._authenticator)
        wanted = request.match_info["id"]
        found = next((one for one in self._configuration.subscriptions() if one.id == wanted), None)
        if found is None:
            raise NotFoundError("UnknownSubscription", "the broker has no subscription of that name, or not yet")
        cluster_id = self._configuration.current().cluster_id
        own = subscription_report.part(self._state.clients, self._state.brokers, found, cluster_id)
        if local and asks_for_part(request):
            return answer(own)
        if local:
            return answer(subscription_report.merge(found, [own], ()))
        parts, missing = await others_parts(request, self._peers, SubscriptionPart)
        return answer(subscription_report.merge(found, [own, *parts], missing))

    async def cluster(self, request: web.Request) -> web.StreamResponse:
        """Answer what is known of a cluster."""
        local = await asks_locally(request, self._authenticator)
        cluster_id = request.match_info["cluster_id"]
        observers, totals, headers = self._observation.observers, self._observation.totals, self._observation.headers
        counts = self._state.core.counts()
        counts = counts._replace(
            series=counts.series + totals.series + headers.series.series,
            overflowed={
                **counts.overflowed,
                "observers": totals.overflowed,
                "headers": headers.series.overflowed,
            },
        )
        part = reports.cluster_part(self._state.clients, self._state.brokers, counts, self._ledger, cluster_id)
        own = with_observers(part, observers, self._state.brokers.software.shown, now_ms())
        own = with_reporters(own, self._observation.interception.reporters)
        own = with_headers(own, headers.problems, now_ms())
        own = own.model_copy(update={"refusing": self._pipeline.privacy.refusing})
        if local:
            return answer(own)
        parts, missing = await others_parts(request, self._peers, ClusterState)
        merged = reports.merge_clusters([own, *parts], missing)
        known = (
            merged.brokers
            or merged.observers
            or merged.interceptors
            or merged.headers
            or merged.software
            or merged.clients
        )
        if not known and cluster_id != self._configuration.current().cluster_id:
            raise NotFoundError("UnknownCluster", "nothing was heard from that cluster")
        return answer(merged)
