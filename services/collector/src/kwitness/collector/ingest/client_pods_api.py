"""PUT /v1/client-pods: the operator hands over the pods by whose addresses clients are attributed."""

from __future__ import annotations

from aiohttp import web

from kwitness.collector.ingest.told_bodies import Told
from kwitness.collector.inventory.client_pods import PodsOfClients
from kwitness.contracts.endpoints import CLIENT_PODS_PATH
from kwitness.contracts.envelopes import MAX_CLIENT_PODS_BYTES, ClientPods


class ClientPodsApi:
    """The handler of the path; every replica gets the same table."""

    def __init__(self, pods: PodsOfClients, distribution: Told) -> None:
        self._pods = pods
        self._distribution = distribution

    def add_to(self, application: web.Application) -> None:
        """Add the route."""
        application.router.add_put(CLIENT_PODS_PATH, self.put)

    async def put(self, request: web.Request) -> web.StreamResponse:
        """Follow the table here and at every other replica."""
        return await self._distribution.take(request, MAX_CLIENT_PODS_BYTES, ClientPods, self._pods.follow)
