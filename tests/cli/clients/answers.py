"""Answers to questions about nouns, from the models of the contract."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from kwitness.contracts.envelopes import (
    ConnectionItem,
    ConnectionPage,
    GroupItem,
    GroupPage,
    ObserverListing,
    TrafficItem,
    TrafficPage,
)

from tests.cli.reviewed_collector import ReviewedCollector
from tests.collector.collector_samples import CLUSTER

NOT_FOUND = (404, {"error": {"reason": "NotFound", "message": "GET is not possible here"}})
"""As a collector answers at a path that its release does not have."""
TEAM = {"team": "Orders", "contact": "#orders"}


def now_ms() -> int:
    return int(time.time() * 1000)


def traffic(api: str, client_id: str | None, topic: str | None = "orders", **changes: Any) -> TrafficItem:
    """Requests of one client in the last windows."""
    known = {
        "cluster_id": CLUSTER,
        "principal": f"User:{client_id}",
        "client_software_name": "apache-kafka-java",
        "client_software_version": "4.3.1",
        "until_ms": now_ms(),
    }
    return TrafficItem.model_validate({**known, "api": api, "client_id": client_id, "topic": topic, **changes})


def connection(client_id: str | None, **changes: Any) -> ConnectionItem:
    """A connection that has been open for an hour and a minute."""
    known = {
        "connection_id": "1760000000000-7",
        "client_software_name": "librdkafka",
        "client_software_version": "2.5.0",
        "client_address": "10.0.0.7",
        "broker_id": "3",
        "opened_at_ms": now_ms() - 3_665_000,
        "state": "observed",
        "observer_mode": "gateway",
        "observer": "shop/front",
        "observer_pod": "shop/front-0",
        "listed_at_ms": now_ms(),
    }
    return ConnectionItem.model_validate({**known, "client_id": client_id, **changes})


def group(group_id: str, topic: str, lag: int, lag_ms: int | None, **changes: Any) -> GroupItem:
    """Committed lag of a group."""
    known = {"cluster_id": CLUSTER, "committed_lag": lag, "committed_lag_ms": lag_ms, "until_ms": now_ms()}
    return GroupItem.model_validate({**known, "group_id": group_id, "topic": topic, **changes})


def listing(answer: str = "listed", pod: str = "shop/front-0", **changes: Any) -> ObserverListing:
    return ObserverListing.model_validate({"observer": "shop/front", "observer_pod": pod, "answer": answer, **changes})


def answers_connections(door: ReviewedCollector, *items: ConnectionItem, **more: Any) -> None:
    page = ConnectionPage(items=items, **{"observers": (listing(),), **more})
    door.replaced["/v1/connections"] = (200, page.model_dump(mode="json", exclude_none=True))


def answers_traffic(door: ReviewedCollector, *items: TrafficItem, **more: Any) -> None:
    """Answer as the collector does to a question for one topic, and for those that are throttled."""

    def page(parameters: dict[str, str]) -> Any:
        chosen = items
        if parameters.get("order") == "-throttle_ms":
            chosen = tuple(item for item in items if item.topic is None)
        elif "topic" in parameters:
            chosen = tuple(item for item in items if item.topic == parameters["topic"])
        found = TrafficPage(items=chosen, **{"matched": len(chosen), **more})
        return found.model_dump(mode="json", exclude_none=True)

    door.replaced["/v1/traffic"] = (200, page)


def answers_groups(door: ReviewedCollector, *items: GroupItem, **more: Any) -> None:
    page = GroupPage(items=items, **{"matched": len(items), **more})
    door.replaced["/v1/groups"] = (200, page.model_dump(mode="json", exclude_none=True))


def parameters_of(door: ReviewedCollector, path: str) -> list[dict[str, str]]:
    """The parameters of each question to a path."""
    parts = [urlsplit(question) for question in door.asked]
    return [dict(parse_qsl(part.query)) for part in parts if part.path == path]
