"""POST /v1/events: what observers and interceptors send, at the replica that owns the pod (docs/decisions/0043)."""

from __future__ import annotations

import asyncio
from typing import Final, get_args

from aiohttp import web

from kwitness.collector.claims import check_claims
from kwitness.collector.event_lines import read_events
from kwitness.collector.failures import (
    ForbiddenError,
    MisdirectedError,
    OldProtocolError,
    UnsupportedContentError,
)
from kwitness.collector.ingest import bodies
from kwitness.collector.ingest.authentication import SENDERS, Authenticator, Caller, Kind, require
from kwitness.collector.observation import Observation
from kwitness.collector.origin import Sender
from kwitness.collector.peers import CLUSTER, FORWARDED, INTERCEPTS, POD, REPORTED_BY, Peers
from kwitness.contracts.endpoints import EVENTS_PATH
from kwitness.contracts.envelopes import EVENTS_CONTENT_TYPE, MAX_EVENTS_BYTES
from kwitness.contracts.observers import ReportedBy

PROTOCOL: Final = "Kwitness-Protocol"
OWNER: Final = "Kwitness-Owner"
_OLDEST_PROTOCOL: Final = 2
_MOST: Final = 2 * MAX_EVENTS_BYTES
"""Plain bytes that are read: what an observer may send, and as much again for a head that grew."""
_DESCRIBING: Final = ("Content-Type", "Content-Encoding", PROTOCOL)


class EventsApi:
    """The handler of the one path."""

    def __init__(
        self, observation: Observation, authenticator: Authenticator, peers: Peers, budget: bodies.Budget
    ) -> None:
        self._observation = observation
        self._authenticator = authenticator
        self._peers = peers
        self._budget = budget

    def add_to(self, application: web.Application) -> None:
        """Add the route."""
        application.router.add_post(EVENTS_PATH, self.events)

    async def events(self, request: web.Request) -> web.StreamResponse:
        """Take a request, or stream it to the owner of its source."""
        kinds: tuple[Kind, ...] = ("observer", "interceptor", "collector")
        caller = await self._authenticator.caller(
            request.headers.get("Authorization"), (SENDERS,), kinds, peer=request.remote
        )
        require(caller, *kinds)
        if request.content_type != EVENTS_CONTENT_TYPE:
            raise UnsupportedContentError(
                "UnknownContentType", f"send {EVENTS_CONTENT_TYPE}, not {request.content_type[:60]}"
            )
        _check_protocol(request.headers.get(PROTOCOL))
        forwarded = caller.kind == "collector"
        sender = _forwarded_sender(request) if forwarded else _sender(caller)
        owner, own = self._peers.owner(sender.source), self._peers.own
        if owner != own:
            if forwarded or request.headers.get(OWNER) == str(own):
                raise MisdirectedError("NotTheOwner", f"replica {owner} of {self._peers.replicas} owns this source")
            return await self._pass_on(request, owner, sender)
        with self._budget.holding() as hold:
            body = await bodies.read(request, hold, _MOST)
            batch = read_events(body)
            del body
            check_claims(sender, batch.head, self._observation.other_namespaces)
            # A sender that hangs up must not stop a batch half way.
            answer = await asyncio.shield(self._observation.accept(batch, sender))
        return web.Response(
            body=answer.model_dump_json(exclude_none=True).encode("utf-8", "replace"), content_type="application/json"
        )

    async def _pass_on(self, request: web.Request, owner: int, sender: Sender) -> web.StreamResponse:
        headers = {name: request.headers[name] for name in _DESCRIBING if name in request.headers}
        headers |= {POD: sender.source, REPORTED_BY: sender.reported_by, CLUSTER: sender.cluster_id}
        if not sender.observes:
            headers[INTERCEPTS] = "1"
        status, content = await self._peers.pass_on_events(owner, request.content.iter_any(), headers)
        return web.Response(status=status, body=content, content_type="application/json")


def _check_protocol(version: str | None) -> None:
    if version is not None and not (version.isdecimal() and int(version[:9]) >= _OLDEST_PROTOCOL):
        raise OldProtocolError("OldProtocol", f"{PROTOCOL} is {version[:20]}; this collector speaks {_OLDEST_PROTOCOL}")


def _sender(caller: Caller) -> Sender:
    if caller.pod is None or caller.cluster_id is None:
        raise ForbiddenError("NoPod", "the token must be a projected one, which names the pod it is in")
    return Sender(caller.pod, caller.cluster_id, caller.reported_by, observes=caller.kind == "observer")


def _forwarded_sender(request: web.Request) -> Sender:
    known: dict[str, ReportedBy] = {one: one for one in get_args(ReportedBy)}
    pod, cluster_id = request.headers.get(POD, ""), request.headers.get(CLUSTER, "")
    reported_by = known.get(request.headers.get(REPORTED_BY, ""))
    if request.headers.get(FORWARDED) != "1" or not pod or not cluster_id or reported_by is None:
        raise ForbiddenError("WrongSource", "a collector sends no events of its own")
    return Sender(pod, cluster_id, reported_by, observes=request.headers.get(INTERCEPTS) != "1")
