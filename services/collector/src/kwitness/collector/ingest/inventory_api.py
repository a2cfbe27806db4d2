"""GET /v1/clients, /v1/subscriptions/{id}, /v1/clusters/{cluster_id}: any replica answers for all."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from kwitness.collector.configuration import Configuration
from kwitness.collector.failures import NotFoundError, RefusedError
from kwitness.collector.ingest.authentication import READERS, SENDERS, Authenticator, require
from kwitness.collector.inventory import reports, subscription_report
from kwitness.collector.inventory.observer_report import with_observers
from kwitness.collector.inventory.subscription_report import SubscriptionPart
from kwitness.collector.observation import Observation
from kwitness.collector.peers import Peers
from kwitness.collector.pipeline import Pipeline, now_ms
from kwitness.contracts.endpoints import CLIENTS_PATH, CLUSTER_PATH, SUBSCRIPTION_PATH
from kwitness.contracts.envelopes import ClientItem, ClusterState

_DEFAULT_PAGE: Final = 100
Model = TypeVar("Model", bound=BaseModel)


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

    async def _local(self, request: web.Request) -> bool:
        """Authenticate, and say whether only this replica's own part is asked for."""
        local = request.query.get("local") == "true"
        # Replicas have a token for sending only; they ask each other with it, for their own part.
        purposes = (READERS, SENDERS) if local else (READERS,)
        caller = await self._authenticator.caller(request.headers.get("Authorization"), purposes)
        if caller.kind == "collector" and local:
            return True
        require(caller, "reader", "operator")
        return local

    async def clients(self, request: web.Request) -> web.StreamResponse:
        """Answer a page of client instances, sorted by cluster and instance id."""
        local = await self._local(request)
        limit = _number(request.query.get("limit"), _DEFAULT_PAGE)
        after = request.query.get("continue", "")
        subscriptions = self._configuration.subscriptions()
        own = reports.clients_page(self._state.clients, subscriptions, limit, after)
        if local and "parts" in request.query:
            rows = [[key, item.model_dump(exclude_none=True)] for key, item in own]
            return web.json_response(rows)
        parts = [own]
        if not local:
            query = {"limit": str(limit), "continue": after, "local": "true", "parts": "1"}
            path = request.url.with_query(query).raw_path_qs
            parts += [_client_rows(answer) for answer in await self._peers.ask_all(path)]
        page = reports.merge_pages(parts, limit)
        items = [item.model_dump(exclude_none=True) for item in page.items]
        return web.json_response({"items": items, "continue": page.continue_}, dumps=_dumps)

    async def subscription(self, request: web.Request) -> web.StreamResponse:
        """Answer one subscription in numbers."""
        local = await self._local(request)
        wanted = request.match_info["id"]
        found = next((one for one in self._configuration.subscriptions() if one.id == wanted), None)
        if found is None:
            raise NotFoundError("UnknownSubscription", "the broker has no subscription of that name, or not yet")
        cluster_id = self._configuration.current().cluster_id
        own = subscription_report.part(self._state.clients, self._state.brokers, found, cluster_id)
        if local and "parts" in request.query:
            return _answer(own)
        parts = [own] if local else [own, *await self._others(request, _reader(SubscriptionPart))]
        return _answer(subscription_report.merge(found, parts))

    async def cluster(self, request: web.Request) -> web.StreamResponse:
        """Answer what is known of a cluster."""
        local = await self._local(request)
        cluster_id = request.match_info["cluster_id"]
        observers, totals = self._observation.observers, self._observation.totals
        counts = self._state.core.counts()
        counts = counts._replace(
            series=counts.series + totals.series, overflowed={**counts.overflowed, "observers": totals.overflowed}
        )
        part = reports.cluster_part(self._state.clients, self._state.brokers, counts, self._ledger, cluster_id)
        own = with_observers(part, observers, now_ms())
        if local:
            return _answer(own)
        merged = reports.merge_clusters([own, *await self._others(request, _reader(ClusterState))])
        known = merged.brokers or merged.observers or merged.software or merged.clients
        if not known and cluster_id != self._configuration.current().cluster_id:
            raise NotFoundError("UnknownCluster", "nothing was heard from that cluster")
        return _answer(merged)

    async def _others(self, request: web.Request, read: Callable[[bytes], Model | None]) -> list[Model]:
        path = request.url.with_query({"local": "true", "parts": "1"}).raw_path_qs
        answers = [read(answer) for answer in await self._peers.ask_all(path)]
        return [answer for answer in answers if answer is not None]


def _reader(model: type[Model]) -> Callable[[bytes], Model | None]:
    def read(content: bytes) -> Model | None:
        try:
            return model.model_validate_json(content)
        except ValidationError:
            return None

    return read


def _client_rows(content: bytes) -> list[tuple[str, ClientItem]]:
    try:
        return [(str(key), ClientItem.model_validate(item)) for key, item in json.loads(content)]
    except (ValueError, TypeError):
        return []


def _number(text: str | None, default: int) -> int:
    if text is None:
        return default
    if not text.isdecimal() or not 1 <= int(text[:6]) <= reports.MAX_PAGE:
        raise RefusedError("BadLimit", f"limit must be a number from 1 to {reports.MAX_PAGE}")
    return int(text)


def _answer(model: BaseModel) -> web.Response:
    text = model.model_dump_json(by_alias=True, exclude_none=True)
    return web.Response(body=text.encode("utf-8", "replace"), content_type="application/json")


def _dumps(value: object) -> str:
    return json.dumps(value)
