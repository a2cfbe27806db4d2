"""`why`: what is known of a client, in sentences."""

from __future__ import annotations

import pytest

from tests.cli.clients.conftest import INSTANCE, PRODUCER, answers_with, item
from tests.collector.collector_samples import LATENCY_AVG

pytestmark = pytest.mark.slow


def test_why_tells_a_page_of_sentences(types) -> None:
    done = types("why", INSTANCE)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"orders-7 {INSTANCE}\n\nWho it is\n  Its client id is orders-7.\n")
    assert f"  It is asked for metrics that begin with {PRODUCER}, every 5m.\n" in done.stdout
    assert "  The broker's subscription slow-orders asks for it.\n" in done.stdout
    assert f'  How long its requests take: 0.0125 s ({LATENCY_AVG}{{node_id="1"}}).\n' in done.stdout
    assert done.stdout.endswith("What to do next\n  Watch its values: kwitness metrics orders-7 --watch\n")


def test_why_tells_whose_a_client_is_where_that_is_known(types, door) -> None:
    answers_with(door, item(k8s_namespace="shop", k8s_pod="orders-0", owner={"team": "Orders", "contact": "#orders"}))
    done = types("why", INSTANCE)

    assert "  Its pod is shop/orders-0.\n  It belongs to Orders (#orders).\n" in done.stdout


def test_why_tells_both_instances_of_a_client_and_of_one_that_cannot_be_read_the_reason(types) -> None:
    both, broken = types("why", "orders-7"), types("why", "broken")

    assert both.stdout.count("Who it is") == 2
    assert "  It is silent because what it pushes cannot be read (Malformed).\n" in broken.stdout


def test_why_goes_on_without_what_an_older_collector_does_not_know(types, door) -> None:
    door.replaced["/v1/silent"] = (404, {"error": {"reason": "NotFound", "message": "GET is not possible here"}})
    door.replaced[f"/v1/clients/{INSTANCE}/metrics"] = door.replaced["/v1/silent"]
    done = types("why", INSTANCE)

    assert done.returncode == 0
    assert "older release than this command" in done.stderr
    assert "What it says of itself" not in done.stdout
