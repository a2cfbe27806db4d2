"""`kwitness subscriptions` with an operator that runs and a broker: what is typed is there, what is there is listed."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import Person
from tests.eventually import eventually
from tests.operator.surroundings import alter_broker, apply, broker_configs, cluster, until_configs

pytestmark = pytest.mark.broker
# A subscription that no version of any client is harmed by does not wait for a report on connected clients.
EVERYTHING = "org.apache.kafka."


def test_it_is_on_the_broker_when_the_command_returns_and_those_of_others_are_listed(
    api, namespace, clean_broker, start_operator, tmp_path
):
    alter_broker(clean_broker, "by-hand", {"metrics": "org.apache.kafka.consumer.", "interval.ms": "30000"})
    apply(api, cluster("orders", namespace, clean_broker.bootstrap))
    start_operator()
    person = Person(api.kubeconfig, tmp_path)
    here = ("-n", namespace, "subscriptions")
    add = ("add", "slow-orders", "--client-id", "orders.7", "--metric", EVERYTHING, "--interval", "10s", "--for", "10m")
    person.done(*here, *add, "--wait")
    written = broker_configs(clean_broker)
    listed = eventually(
        lambda: json.loads(person.done(*here, "list", "-o", "json"))["items"],
        lambda rows: {row["owner"] for row in rows} == {"Ours", "Foreign"},
    )
    [ours], [foreign] = ([row for row in listed if row["owner"] == owner] for owner in ("Ours", "Foreign"))
    person.done(*here, "delete", "slow-orders")

    assert written[ours["brokerResource"]] == {
        "metrics": EVERYTHING,
        "interval.ms": "10000",
        "match": r"client_id=orders\.7",
    }
    assert (ours["ready"], ours["reason"]) == ("True", "Applied")
    assert "expiresAt" in ours
    assert foreign == {
        "name": "by-hand",
        "cluster": "orders",
        "owner": "Foreign",
        "interval": "30s",
        "metrics": ["org.apache.kafka.consumer."],
        "match": [],
        "brokerResource": "by-hand",
    }
    until_configs(clean_broker, lambda found: set(found) == {"by-hand"})
