"""Both workflows of KIP-714 on the node, with the guides' own lines, typed as a person types them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kwitness.demo import up
from kwitness.demo.platform import APPS, CLUSTER, NAMESPACE, PROMETHEUS, Platform
from kwitness.demo.toolbox import Toolbox

from tests.e2e import another_client, subscriptions
from tests.e2e.eventually import eventually
from tests.e2e.person import Person
from tests.e2e.workloads import restart, running

pytestmark = pytest.mark.needs(up.numbers)

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"
CLIENT, SUBSCRIPTION = "orders-7", "slow-orders"
OLD = "demo-old-python-producer"


def lines_of(page: str) -> list[str]:
    """What a guide has its readers type."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (GUIDES / page).read_text(), re.MULTILINE | re.DOTALL)
    return [line.split("  #")[0].strip() for block in blocks for line in block.splitlines() if line.strip()]


@pytest.fixture
def person(platform: Platform, tmp_path: Path) -> Person:
    return Person(platform, tmp_path)


@pytest.fixture
def orders(platform: Platform) -> Iterator[dict[str, Any]]:
    """A client like one of the demo's, whose client id is that of the guide; gives its pod."""
    document = another_client.deployment(platform, CLIENT, like="python-producer")
    [client] = document["spec"]["template"]["spec"]["containers"]
    for variable in client["env"]:
        if variable["name"] == "CLIENT_ID":
            variable["value"] = CLIENT
    with running(platform, document) as pod:
        yield pod


# Another test's client of librdkafka 2.5.0 is gone, and would hold the subscription for a week.
@pytest.mark.usefixtures("soon_forgotten")
def test_a_line_asks_one_client_for_a_while_shows_what_it_says_and_ends_by_itself(
    platform: Platform, toolbox: Toolbox, person: Person, orders: dict[str, Any]
) -> None:
    clients, why, add, watch = lines_of("looking-at-clients.md")[:4]
    assert add.endswith("--for 10m")

    eventually(lambda: person.types(clients), lambda said: CLIENT in said and "Pushing" in said)
    eventually(lambda: person.types(why), lambda said: f"{APPS}/{orders['metadata']['name']}" in said)

    person.types(f"{add} --wait")
    resource = subscriptions.broker_resource(platform, SUBSCRIPTION)
    assert "org.apache.kafka.producer." in toolbox.subscriptions()[resource]["metrics"]
    eventually(lambda: person.types(why), lambda said: SUBSCRIPTION in said)
    shown = person.watches(watch, 15)
    assert "producer.node.request.latency.avg" in shown
    assert "producer.record.queue.time.avg" in shown

    # An end that can be waited for: a while after its creation that is nearly over.
    created = datetime.fromisoformat(subscriptions.found(platform, SUBSCRIPTION)["metadata"]["creationTimestamp"])
    age = (datetime.now(UTC) - created).total_seconds()
    life = f"{max(60, round(age) + 10)}s"
    subscriptions.change(platform, subscriptions.KIND, SUBSCRIPTION, expireAfter=life)
    described = f"kubectl kwitness subscriptions describe {SUBSCRIPTION}"
    eventually(lambda: person.types(described), lambda said: "Expired" in said)
    assert resource not in toolbox.subscriptions()
    eventually(lambda: person.types(why), lambda said: SUBSCRIPTION not in said)
    person.types(f"kwitness subscriptions delete {SUBSCRIPTION}")
    assert subscriptions.found(platform, SUBSCRIPTION) == {}


def test_who_does_not_push_is_told_with_the_reason(person: Person) -> None:
    [line] = [one for one in lines_of("looking-at-clients.md") if one == "kwitness clients --silent --why"]

    said = person.types(line)

    [old] = [row for row in said.splitlines() if "kafka-python" in row and "TooOld" in row]
    software, _, advice = old.partition("TooOld")
    assert "confluent" not in software
    assert "use confluent-kafka-python" in advice


def test_an_alert_leads_to_the_client_and_its_line_can_be_typed(platform: Platform, person: Person) -> None:
    least = {"clientSoftwareName": "confluent-kafka-python", "version": "2.12.0"}

    def alerts() -> dict[str, dict[str, Any]]:
        answer = platform.cluster.http(namespace=NAMESPACE, service=PROMETHEUS, port=9090, path="/api/v1/alerts")
        name = "KwitnessClientBelowMinimumVersion"
        found = [one for one in answer["data"]["alerts"] if one["labels"]["alertname"] == name]
        return {one["labels"].get("client_id", "of no client that pushes"): one for one in found}

    # librdkafka may wait for ever for the answer to a push whose broker has gone.
    restart(platform, "old-python-producer")
    with subscriptions.cluster_with(platform, clientPolicy={"minimumVersions": [least]}):
        # It waits for an hour before it tells anybody; that it waits shows that it is the case.
        alert = eventually(alerts, lambda found: OLD in found)[OLD]
        warnings = subscriptions.found(platform, CLUSTER, "kafkacluster")["status"]["warnings"]

    assert "ClientsBelowMinimum" in {one["type"] for one in warnings}
    assert alert["labels"]["client_software_version"].startswith("2.")
    assert ": User:ANONYMOUS" in alert["annotations"]["clients"], "addresses are no labels by default"
    said = person.types(alert["annotations"]["command"])
    assert OLD in said
    assert "User:ANONYMOUS" in said
