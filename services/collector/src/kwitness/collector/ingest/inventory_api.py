"""GET /v1/clients, /v1/subscriptions and /v1/clusters/{cluster_id}: any replica answers for all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from aiohttp import web

from kwitness.collector.configuration import Configuration
from kwitness.collector.failures import NotFoundError, UnavailableError
from kwitness.collector.ingest.authentication import Authenticator
from kwitness.collector.ingest.reading import (
    NOBODY,
    Asker,
    answer,
    answer_items,
    answer_page,
    asks_for_part,
    asks_locally,
    find_asker,
    others_parts,
    part_answer,
    read_others,
    read_question,
)
from kwitness.collector.inventory import client_metrics, reports, subscription_report
from kwitness.collector.inventory.change_report import ChangesHead, changes_part, merge_changes, read_cursors
from kwitness.collector.inventory.client_metrics import MetricsPart
from kwitness.collector.inventory.client_report import ALL_ITEMS, ClientItems, ClientsHead, clients_part
from kwitness.collector.inventory.header_report import with_headers
from kwitness.collector.inventory.matched import SubscriptionMatcher
from kwitness.collector.inventory.observer_report import with_observers
from kwitness.collector.inventory.parts import read_part
from kwitness.collector.inventory.reporter_report import with_reporters
from kwitness.collector.inventory.subscription_report import SubscriptionsPart
from kwitness.collector.inventory.survey import survey
from kwitness.collector.observation import Observation
from kwitness.collector.peers import Peers
from kwitness.collector.pipeline import Pipeline, now_ms
from kwitness.contracts.endpoints import (
    CLIENT_METRICS_PATH,
    CLIENTS_PATH,
    CLUSTER_PATH,
    SUBSCRIPTION_PATH,
    SUBSCRIPTIONS_PATH,
)
from kwitness.contracts.envelopes import ClusterState, SubscriptionAnswer, SubscriptionList, SubscriptionState
from kwitness.contracts.nouns import CLIENTS
from kwitness.contracts.questions import Question
from kwitness.contracts.reader_rights import ReaderScope
from kwitness.subscriptions.broker_subscription import BrokerSubscription


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
        self._matcher = SubscriptionMatcher(())

    def add_to(self, application: web.Application) -> None:
        """Add the routes."""
        application.router.add_get(CLIENTS_PATH, self.clients)
        application.router.add_get(CLIENT_METRICS_PATH, self.metrics)
        application.router.add_get(SUBSCRIPTIONS_PATH, self.subscriptions)
        application.router.add_get(SUBSCRIPTION_PATH, self.subscription)
        application.router.add_get(CLUSTER_PATH, self.cluster)

    def _items(self, scope: ReaderScope | None, question: Question = ALL_ITEMS) -> ClientItems:
        return ClientItems(self._matching(), self._configuration.owners(), question, scope)

    def _matching(self) -> SubscriptionMatcher:
        subscriptions = self._configuration.subscriptions()
        if self._matcher.subscriptions is not subscriptions:
            self._matcher = SubscriptionMatcher(subscriptions)
        return self._matcher

    async def clients(self, request: web.Request) -> web.StreamResponse:
        """Answer a page of client instances, by the question's order, else by key; or those that changed."""
        asker = await find_asker(request, self._authenticator)
        local, scope = asker
        question = read_question(request, CLIENTS)
        if question.since is not None:
            return await self._changes(request, question, question.since, asker)
        own = await clients_part(self._state.clients, self._items(scope, question), question)
        if local and asks_for_part(request):
            return part_answer(own)
        read = partial(read_part, head=ClientsHead)
        others = NOBODY if local else await read_others(request, self._peers, read, scope)
        known = {"missing": others.missing, "scope": scope}
        return await answer_page(request, question, [own, *others.parts], known)

    async def _changes(
        self, request: web.Request, question: Question, since: str, asker: Asker, *, reset: bool = False
    ) -> web.StreamResponse:
        local, scope = asker
        cursors, own = read_cursors(since), self._peers.own
        clients, items = self._state.clients, self._items(scope, question)
        clients.changes.follow(items.owners)
        merged = bool(self._peers.others())
        part = await changes_part(clients, items, question.limit, cursors.get(own), merged=merged)
        if local and asks_for_part(request):
            return part_answer(part)
        read = partial(read_part, head=ChangesHead)
        others = NOBODY if local else await read_others(request, self._peers, read, scope, since=since)
        parts = {own: part, **dict(zip(others.ordinals, others.parts, strict=True))}
        if any(part.head.reset for part in parts.values()) or cursors.keys() - {own, *self._peers.others()}:
            # A reader does not know which of its items a replica had: it begins again with all of them.
            return await self._changes(request, question, "", asker, reset=True)
        found, known = merge_changes(parts, cursors, question.limit)
        return await answer_items(request, found, {**known, "missing": others.missing, "reset": reset, "scope": scope})

    async def metrics(self, request: web.Request) -> web.StreamResponse:
        """Answer one client instance and all it sends."""
        local, scope = await find_asker(request, self._authenticator)
        own = self._metrics_part(request.match_info["client_instance_id"], scope)
        if local and asks_for_part(request):
            return answer(own)
        others = NOBODY if local else await others_parts(request, self._peers, MetricsPart, scope)
        found = client_metrics.merge([own, *others.parts], others.missing, scope)
        if found is not None:
            return answer(found)
        if others.missing:
            raise _partial("know no client of that id", others.missing)
        raise NotFoundError(
            "UnknownClient",
            "no client of that id was heard from, or none within its last push intervals; see GET /v1/clients for those"
            " that were, and /v1/silent for connections that push nothing",
        )

    def _metrics_part(self, instance: str, scope: ReaderScope | None) -> MetricsPart:
        cluster_id, items = self._configuration.current().cluster_id, self._items(scope)
        found = client_metrics.find_client(self._state.clients, instance, cluster_id, items.visible.client)
        if found is None:
            return MetricsPart()
        key, record = found
        return client_metrics.metrics_part(key, record, items, self._state.core.values(key))

    async def subscriptions(self, request: web.Request) -> web.StreamResponse:
        """Answer all subscriptions in numbers."""
        local, scope = await find_asker(request, self._authenticator)
        own = await self._subscriptions_part(scope)
        if local and asks_for_part(request):
            return answer(own)
        others = NOBODY if local else await others_parts(request, self._peers, SubscriptionsPart, scope)
        subscriptions = self._configuration.subscriptions()
        items = self._states(subscriptions, [own, *others.parts], scope)
        # A replica that has not been told of a subscription yet has not answered about it.
        lacking = [
            ordinal
            for ordinal, part in zip(others.ordinals, others.parts, strict=True)
            if not part.subscriptions.keys() >= {one.id for one in subscriptions}
        ]
        missing = tuple(sorted((*others.missing, *lacking)))
        ordered = tuple(sorted(items, key=lambda state: state.id))
        return answer(SubscriptionList(items=ordered, missing=missing, scope=scope))

    async def subscription(self, request: web.Request) -> web.StreamResponse:
        """Answer one subscription in numbers."""
        local, scope = await find_asker(request, self._authenticator)
        subscriptions, requested = self._configuration.subscriptions(), request.match_info["id"]
        named = [subscription for subscription in subscriptions if subscription.id == requested]
        own = await self._subscriptions_part(scope)
        if named and local and asks_for_part(request):
            return answer(own)
        others = NOBODY if local or not named else await others_parts(request, self._peers, SubscriptionsPart, scope)
        for state in self._states(named, [own, *others.parts], scope):
            return answer(SubscriptionAnswer(**dict(state), missing=others.missing, scope=scope))
        if named and others.missing:
            raise _partial("know no client of this reader that it matches", others.missing)
        raise NotFoundError("UnknownSubscription", "the broker has no subscription of that name, or not yet")

    @staticmethod
    def _states(
        subscriptions: Sequence[BrokerSubscription], parts: Sequence[SubscriptionsPart], scope: ReaderScope | None
    ) -> Sequence[SubscriptionState]:
        if scope is not None:
            return subscription_report.scoped_list(subscriptions, parts)
        return [subscription_report.merge(subscription, parts) for subscription in subscriptions]

    async def _subscriptions_part(self, scope: ReaderScope | None) -> SubscriptionsPart:
        cluster_id, visible = self._configuration.current().cluster_id, self._items(scope).visible
        found = await survey(self._state.clients, self._matching(), cluster_id, visible.client)
        if scope is not None:
            return subscription_report.scoped_part(found)
        return subscription_report.part(found, self._state.clients, self._state.brokers, cluster_id)

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
        own = self._pipeline.pods.with_pods(own)
        own = own.model_copy(update={"refusing": self._pipeline.privacy.refusing})
        if local:
            return answer(own)
        others = await others_parts(request, self._peers, ClusterState, None)
        merged = reports.merge_clusters([own, *others.parts], others.missing)
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


def _partial(known: str, missing: Sequence[int]) -> UnavailableError:
    away = ", ".join(map(str, missing))
    return UnavailableError("Partial", f"replicas that answered {known}, and replica {away} did not answer; ask again")
