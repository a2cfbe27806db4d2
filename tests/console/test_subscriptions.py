"""Shows subscriptions of a real API server: the list and its command, one of them, and what cannot be shown."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path

import pytest

from kwitness.answers.access.cluster_access import ClusterAccess, connect
from kwitness.answers.access.local_route import LocalRoute
from kwitness.answers.access.options import AccessOptions
from kwitness.contracts.reasons import remedy
from kwitness.e2e.api_server import ApiServer

from tests.cli.command import Person, kubeconfig_with
from tests.cli.conftest import account, token
from tests.collector.collector_process import CollectorProcess
from tests.console.conftest import opened, over_kubernetes
from tests.console.open_console import OpenConsole, cells, figure, in_thread, lines, session_of
from tests.console.subscription_samples import BATCH, PRODUCER, apply_subscriptions

NOT_KNOWN = "\N{EN DASH}"


@pytest.fixture
def applied(api: ApiServer, namespace: str) -> str:
    """The namespace of subscriptions with statuses."""
    apply_subscriptions(api, namespace)
    return namespace


async def test_the_list_has_what_the_command_lists(
    api: ApiServer, access: ClusterAccess, applied: str, fleet: CollectorProcess, tmp_path: Path
) -> None:
    async with over_kubernetes(fleet, access) as console:
        page = await console.get(f"/subscriptions?namespace={applied}")

    [line] = [line for line in lines(page) if line.startswith("kwitness")]
    assert line == f"kwitness subscriptions list --namespace {applied}"
    person = Person(api.kubeconfig, tmp_path)
    items = json.loads(await in_thread(person.done, *line.split()[1:], "--output", "json"))["items"]
    rows = cells(page)
    assert len(rows) == len(items) == 5
    # Other tests have KafkaClusters that no operator has seen: numbers are lower bounds.
    assert figure(page, "ours").removeprefix("≥ ") == str(sum(item["owner"] == "Ours" for item in items)) == "3"
    assert figure(page, "others").removeprefix("≥ ") == "2"
    assert figure(page, "unready") == str(sum(item.get("ready", "True") != "True" for item in items)) == "1"
    assert figure(page, "unsent") == str(sum(len(item.get("unsentPrefixes", [])) for item in items)) == "1"
    by_name = {row[0].split()[0]: row for row in rows}
    for item in items:
        row = by_name[_shown(item["name"])]
        counts = item.get("clients", {})
        expected = [str(counts.get(name, NOT_KNOWN)) for name in ("matching", "pushing", "silent")]
        assert row[5:8] == expected, item
        assert f"every {item['interval']}" in row[2]
    assert by_name["slow-orders"][2] == f"{PRODUCER} {BATCH} no client sends it every 5m"
    assert by_name["slow-orders"][9] == "in 9m"
    assert by_name["kwitness.other.shop.all"][1] == "orders of another installation"
    assert by_name["kwitness.other.shop.all"][2] == f"{PRODUCER} {BATCH} and 3 more every 1m"


def _shown(name: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in name)


async def test_filters_orders_and_hostile_names(access: ClusterAccess, applied: str, fleet: CollectorProcess) -> None:
    async with over_kubernetes(fleet, access) as console:

        async def names(query: str) -> list[str]:
            page = await console.get(f"/subscriptions?namespace={applied}&{query}")
            assert "<script>alert" not in page
            assert "<b>pay" not in page
            return [row[0].split()[0] for row in cells(page)]

        assert await names("state=unsent") == ["slow-orders"]
        assert await names("state=silent") == ["slow-orders"]
        assert await names("state=unready") == ["lost"]
        assert set(await names("state=others")) == {
            _shown("<script>alert(1)</script>\u202egnp\x07'\"&"),
            "kwitness.other.shop.all",
        }
        assert await names("search=ORDERS-7") == ["slow-orders"]
        assert (await names("order=-pushing"))[0] == "slow-orders"
        assert "No subscription fits" in await console.get("/subscriptions?search=none-of-these")


async def test_a_page_of_one_has_unsent_metrics_and_conditions_with_what_to_do(
    access: ClusterAccess, applied: str, fleet: CollectorProcess
) -> None:
    async with over_kubernetes(fleet, access) as console:
        slow = await console.get(f"/subscriptions/{applied}/slow-orders")
        lost = await console.get(f"/subscriptions/{applied}/lost")
        new = await console.get(f"/subscriptions/{applied}/new")
        gone = await console.get(f"/subscriptions/{applied}/gone")

    assert [figure(slow, name) for name in ("asking", "matching", "pushing", "silent")] == ["4", "3", "2", "1"]
    assert [row[0] for row in cells(slow) if "no client sends" in row[1]] == [BATCH]
    assert "set enable.metrics.push=true in the client" in slow
    assert "this version of its library cannot push (TooOld)" in slow
    assert "<script>alert" not in slow
    assert "librdkafka" in slow
    assert "there is no KafkaCluster elsewhere" in lost
    assert remedy("ClusterNotReady").replace("'", "&#39;")[1:] in lost
    assert "The operator has not seen it." in new
    assert "There is no such subscription" in gone


async def test_who_may_not_list_sees_the_commands_that_give_the_right(
    api: ApiServer, applied: str, fleet: CollectorProcess, tmp_path: Path
) -> None:
    api.objects.apply(account("newcomer", applied))
    kubeconfig = kubeconfig_with(api, tmp_path / "newcomer", token(api, "newcomer", applied))
    access = connect(AccessOptions(kubeconfig=kubeconfig, namespace=applied))

    async with over_kubernetes(fleet, access) as console:
        page = await console.get("/subscriptions")

    assert "Resources of kubernetes cannot be read." in page
    assert '<code class="typed">kubectl create rolebinding kwitness-list-' in page
    assert "The API server has not answered yet" in page


async def test_beside_a_collector_of_this_machine_there_is_no_kubernetes_and_pages_say_so(
    fleet: CollectorProcess,
) -> None:
    async with opened(session_of(fleet)) as console:
        for path in ("/subscriptions", "/subscriptions/shop/slow-orders"):
            page = await console.get(path)
            assert "There is no Kubernetes here" in page
            assert "kwitness console --context NAME" in page


async def test_before_the_first_answer_pages_say_that_it_is_read(
    access: ClusterAccess, fleet: CollectorProcess
) -> None:
    async with OpenConsole.over(LocalRoute(session_of(fleet)), access) as console:
        await console.enter()
        for path in ("/subscriptions", "/subscriptions/shop/slow-orders"):
            assert "Reading the API server" in await console.get(path)


async def test_an_api_server_that_does_not_answer_keeps_no_page_waiting(
    api: ApiServer, fleet: CollectorProcess, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        kubeconfig = tmp_path / "kubeconfig"
        there = f"https://127.0.0.1:{silent.getsockname()[1]}"
        kubeconfig.write_text(api.kubeconfig.read_text().replace(api.url, there))
        access = connect(AccessOptions(kubeconfig=kubeconfig, namespace="shop"))
        async with OpenConsole.over(LocalRoute(session_of(fleet)), access) as console:
            await console.enter()
            reading = asyncio.create_task(console.console.sources["resources"].read_once())
            connection, _ = await in_thread(silent.accept)
            pages = [await console.get(path) for path in ("/subscriptions", "/doctor", "/")]
            assert not reading.done()
            connection.close()
            silent.close()
            await reading
            pages.append(await console.get("/subscriptions"))

    assert "Reading the API server" in pages[0]
    assert f"the API server {there} cannot be reached" in pages[-1]
