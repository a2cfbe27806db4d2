"""Adds and ends subscriptions through forms, at a real API server: previews, refusals and what changed meanwhile."""

from __future__ import annotations

import asyncio
import html
import re
import shlex
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp.test_utils import make_mocked_request

from kwitness.answers.access.cluster_access import ClusterAccess, connect
from kwitness.answers.access.options import AccessOptions
from kwitness.answers.failure import CommandFailedError, NotPermittedError
from kwitness.console.door import TOKEN
from kwitness.console.pages.subscription_form import FIELDS, MOST_CHARACTERS, request_of
from kwitness.console.writing.previews import preview_addition
from kwitness.console.writing.writers import Writers
from kwitness.e2e.api_server import ApiServer

from tests.cli.command import Person, kubeconfig_with
from tests.cli.conftest import account, cluster, role, token
from tests.collector.collector_process import CollectorProcess
from tests.console.conftest import opened, over_kubernetes
from tests.console.fleet_samples import HOSTILE
from tests.console.kept_console import kept, with_another_browser
from tests.console.open_console import OpenConsole, cells, in_thread, lines, session_of
from tests.console.subscription_samples import KIND, PRODUCER, subscription

_HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')
NAME = "slow-orders"


@pytest.fixture
async def console(
    api: ApiServer, access: ClusterAccess, namespace: str, fleet: CollectorProcess
) -> AsyncIterator[OpenConsole]:
    """A console of a Kubernetes with one KafkaCluster in the namespace of the test."""
    api.objects.apply(cluster("orders", namespace))
    async with over_kubernetes(fleet, access) as opened_console:
        yield opened_console


REFUSING = "refusing"
"""A namespace in which nothing is written."""


@pytest.fixture(scope="module")
def kept_of_one(api: ApiServer, filled: CollectorProcess) -> Iterator[OpenConsole]:
    """A console of a Kubernetes with one KafkaCluster, for all tests that write nothing."""
    api.objects.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": REFUSING}})
    api.objects.apply(cluster("orders", REFUSING))
    access = connect(AccessOptions(kubeconfig=api.kubeconfig, namespace=REFUSING))
    with kept(over_kubernetes(filled, access)) as console:
        yield console


@pytest.fixture
async def refusing(kept_of_one: OpenConsole) -> AsyncIterator[OpenConsole]:
    """That console, with a browser of the test."""
    async with with_another_browser(kept_of_one) as console:
        yield console


async def sent(console: OpenConsole, path: str, form: dict[str, str]) -> tuple[int, str, str]:
    """Send a form as the page of the console does; return status, path at the end, and page."""
    headers = {"Origin": console.door.address}
    async with console.browser.post(f"{console.door.address}{path}", data=form, headers=headers) as answer:
        return answer.status, answer.url.path, await answer.text()


def hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of the form of a preview."""
    form = page.partition('<form class="write"')[2].partition("</form>")[0]
    return {name: html.unescape(value) for name, value in _HIDDEN.findall(form)}


def resource(page: str) -> Any:
    """Return the resource that a preview shows."""
    found = re.search(r'<pre class="yaml"[^>]*><code>(.*?)</code></pre>', page, re.DOTALL)
    assert found is not None
    return yaml.safe_load(html.unescape(found[1]))


def filled(namespace: str, **fields: str) -> dict[str, str]:
    return {"name": NAME, "namespace": namespace, "cluster": f"{namespace}/orders", "metrics": PRODUCER, **fields}


async def previewed(console: OpenConsole, namespace: str, **fields: str) -> str:
    status, _, page = await sent(console, "/add-subscription", filled(namespace, **fields))
    assert status == 200, page
    return page


async def test_a_subscription_is_previewed_as_the_command_makes_it_and_then_applied(
    api: ApiServer, console: OpenConsole, namespace: str, tmp_path: Path
) -> None:
    form = await console.get("/add-subscription")
    assert f'name="cluster" value="{namespace}/orders"' in form or f'<option value="{namespace}/orders">' in form

    fields = {
        "clientId": "orders-7\r\npay.*",
        "clientSoftwareVersion": "4.3.1",
        "interval": "10s",
        "expire_after": "10m",
    }
    page = await previewed(console, namespace, metrics=f"{PRODUCER}\r\norg.apache.kafka.nothing.", **fields)

    assert api.objects.find(KIND, NAME, namespace) is None
    assert "The API server accepts it." in page
    assert "no client is known to send a metric that begins with org.apache.kafka.nothing." in page
    [line] = [line for line in lines(page) if line.startswith("kwitness")]
    person = Person(api.kubeconfig, tmp_path)
    made = await in_thread(person.done, *shlex.split(line)[1:], "--dry-run")
    assert resource(page) == yaml.safe_load(made)
    [apply] = [line for line in lines(page) if line.startswith("kubectl apply")]
    assert yaml.safe_load(apply.partition("\n")[2].removesuffix("EOF")) == resource(page)

    status, path, page = await sent(console, "/add-subscription/apply", hidden(page))

    assert (status, path) == (200, f"/subscriptions/{namespace}/{NAME}")
    assert "The operator has not seen it." in page
    found = api.objects.find(KIND, NAME, namespace)
    assert found is not None
    assert found["spec"]["match"] == [
        {"selector": "clientId", "pattern": r"orders-7|pay\.\*"},
        {"selector": "clientSoftwareVersion", "pattern": r"4\.3\.1"},
    ]
    assert found["spec"]["expireAfter"] == "10m"


async def test_a_form_that_is_sent_twice_makes_one(api: ApiServer, console: OpenConsole, namespace: str) -> None:
    form = hidden(await previewed(console, namespace))

    answers = await asyncio.gather(*(sent(console, "/add-subscription/apply", form) for _ in range(2)))
    answers.append(await sent(console, "/add-subscription/apply", form))

    assert [answer[:2] for answer in answers] == [(200, f"/subscriptions/{namespace}/{NAME}")] * 3
    found = api.objects.find(KIND, NAME, namespace)
    assert found is not None
    assert found["metadata"]["generation"] == 1


async def test_another_of_the_same_name_is_refused_before_and_after_the_preview(
    api: ApiServer, console: OpenConsole, namespace: str
) -> None:
    form = hidden(await previewed(console, namespace))
    api.objects.apply(subscription(NAME, namespace, metrics=["*"]))

    for path in ("/add-subscription/apply", "/add-subscription"):
        status, _, page = await sent(console, path, form)
        assert status == 422
        assert f"there is a subscription {NAME} in namespace {namespace} already: take another name" in page
        assert f'name="name" value="{NAME}"' in page
    found = api.objects.find(KIND, NAME, namespace)
    assert found is not None
    assert found["spec"]["metrics"] == ["*"]


async def test_what_differs_from_its_preview_is_not_applied_but_previewed_again(
    api: ApiServer, console: OpenConsole, namespace: str
) -> None:
    form = hidden(await previewed(console, namespace))

    status, _, page = await sent(console, "/add-subscription/apply", {**form, "metrics": "*"})

    assert status == 422
    assert "It has changed since the last preview, so nothing was written." in page
    assert resource(page)["spec"]["metrics"] == ["*"]
    assert api.objects.find(KIND, NAME, namespace) is None
    status, _, page = await sent(console, "/add-subscription/apply", hidden(page))
    assert status == 200
    assert api.objects.find(KIND, NAME, namespace) is not None


async def test_risk_that_the_cluster_does_not_accept_is_in_the_preview(refusing: OpenConsole) -> None:
    page = await previewed(refusing, REFUSING, accept_risk="yes")

    assert "spec.riskPolicy Apply does not count: KafkaCluster orders says Hold" in page


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"interval": "10ms"}, "interval"),
        ({"name": "Wrong"}, "lowercase RFC 1123"),
        ({"clientId": "(?=a)b", "patterns": "yes"}, "pattern"),
        ({"metrics": ""}, "name by --metric what clients shall push"),
        ({"expire_after": "10"}, "--for: "),
        ({"cluster": ""}, "the KafkaCluster is empty: fill it in"),
        ({"cluster": "gone"}, "there is no KafkaCluster gone in namespace"),
        ({"clientSourcePort": "99999"}, "--port 99999 is no number from 1 to 65535"),
        ({"name": HOSTILE}, "&lt;script&gt;"),
        ({"clientId": "x" * MOST_CHARACTERS}, "the fields have more than 65,536 characters"),
    ],
)
async def test_a_refused_form_comes_back_with_the_words_of_its_refusal(
    api: ApiServer, refusing: OpenConsole, fields: dict[str, str], words: str
) -> None:
    status, _, page = await sent(refusing, "/add-subscription", filled(REFUSING, **fields))

    assert status == 422
    assert "It was not added." in page
    assert words in page
    assert "<script>alert" not in page
    assert 'action="/add-subscription"' in page
    if "clientId" not in fields:
        assert PRODUCER in page or fields.get("metrics") == ""
    assert api.objects.find(KIND, NAME, REFUSING) is None


async def test_the_form_comes_back_as_it_was_sent(refusing: OpenConsole) -> None:
    form = hidden(await previewed(refusing, REFUSING, clientId="a\nb", patterns="yes"))

    status, _, page = await sent(refusing, "/add-subscription/change", form)

    assert status == 200
    assert ">\na\nb</textarea>" in page
    assert 'name="patterns" value="yes" checked' in page


async def test_a_form_of_another_site_is_refused(api: ApiServer, console: OpenConsole, namespace: str) -> None:
    form = hidden(await previewed(console, namespace))
    for path in ("/add-subscription/apply", "/end-subscription/apply"):
        address = f"{console.door.address}{path}"
        async with console.browser.post(address, data=form, headers={"Origin": "http://other.example"}) as answer:
            assert answer.status == 403
    assert api.objects.find(KIND, NAME, namespace) is None


async def test_a_subscription_ends_after_a_preview_of_what_stops(
    api: ApiServer, access: ClusterAccess, console: OpenConsole, namespace: str
) -> None:
    api.objects.apply(subscription(NAME, namespace))
    api.objects.patch(KIND, NAME, namespace, {"status": {"clients": {"matching": 3}}}, subresource="status")
    await console.read("resources")
    own = await console.get(f"/subscriptions/{namespace}/{NAME}")

    status, _, page = await sent(console, "/end-subscription", hidden(own))

    assert status == 200
    assert '<dd id="matching">3</dd>' in page
    assert resource(page)["spec"]["metrics"] == [PRODUCER]
    assert f"kubectl delete clientmetricssubscription {NAME} --namespace {namespace}" in lines(page)
    assert api.objects.find(KIND, NAME, namespace) is not None

    form = hidden(page)
    status, path, page = await sent(console, "/end-subscription/apply", form)
    assert (status, path) == (200, "/subscriptions")
    assert api.objects.find(KIND, NAME, namespace) is None
    assert NAME not in [row[0].split()[0] for row in cells(page) if row[0].split()[1] == namespace]
    assert (await sent(console, "/end-subscription/apply", form))[:2] == (200, "/subscriptions")
    assert "There is no such subscription" in (await sent(console, "/end-subscription", form))[2]


async def test_one_that_changed_or_was_made_again_since_the_preview_does_not_end(
    api: ApiServer, console: OpenConsole, namespace: str
) -> None:
    named = {"namespace": namespace, "name": NAME}
    api.objects.apply(subscription(NAME, namespace))
    for metrics in (["*"], [PRODUCER]):
        form = hidden((await sent(console, "/end-subscription", named))[2])
        api.objects.patch(KIND, NAME, namespace, {"status": {"clients": {"pushing": 1}}}, subresource="status")
        api.request("DELETE", f"/apis/kwitness.dev/v1beta1/namespaces/{namespace}/clientmetricssubscriptions/{NAME}")
        api.objects.apply(subscription(NAME, namespace, metrics=metrics))

        status, _, page = await sent(console, "/end-subscription/apply", form)

        assert status == 422
        assert "It has changed since the last preview" in page
        assert resource(page)["spec"]["metrics"] == metrics
        assert api.objects.find(KIND, NAME, namespace) is not None


async def test_who_may_not_write_sees_the_commands_that_give_the_right(
    api: ApiServer, namespace: str, fleet: CollectorProcess, tmp_path: Path
) -> None:
    api.objects.apply(cluster("orders", namespace), subscription("other", namespace), account("reader", namespace))
    rule = {"apiGroups": ["kwitness.dev"], "resources": ["*"], "verbs": ["get", "list"]}
    api.objects.apply(*role("reader", namespace, rule, f"{namespace}:reader"))
    kubeconfig = kubeconfig_with(api, tmp_path / "reader", token(api, "reader", namespace))
    access = connect(AccessOptions(kubeconfig=kubeconfig, namespace=namespace))

    async with over_kubernetes(fleet, access) as console:
        added = await sent(console, "/add-subscription", filled(namespace))
        ended = await sent(console, "/end-subscription", {"namespace": namespace, "name": "other"})

    for verb, (status, _, page) in (("create", added), ("delete", ended)):
        assert status == 403
        assert f'<code class="typed">kubectl create role kwitness-{verb}-clientmetricssubscriptions' in page
        assert f"--serviceaccount={namespace}:reader" in page


async def test_without_kubernetes_nothing_is_written_and_the_page_has_the_reason(fleet: CollectorProcess) -> None:
    async with opened(session_of(fleet)) as console:
        assert "There is no Kubernetes here" in await console.get("/add-subscription")
        status, _, page = await sent(console, "/add-subscription", filled("shop"))

    assert status == 422
    assert "there is no Kubernetes here" in page


def test_in_a_pod_each_person_writes_with_a_token_of_their_own(
    api: ApiServer, access: ClusterAccess, namespace: str
) -> None:
    api.objects.apply(cluster("orders", namespace), account("writer", namespace), account("reader", namespace))
    rule = {"apiGroups": ["kwitness.dev"], "resources": ["*"], "verbs": ["get", "list", "create"]}
    api.objects.apply(*role("writer", namespace, rule, f"{namespace}:writer"))
    desired = request_of({field.name: "" for field in FIELDS} | filled(namespace))
    writers = Writers(access, is_own=False)

    def access_of(name: str | None) -> ClusterAccess:
        request = make_mocked_request("POST", "/add-subscription")
        if name is not None:
            request[TOKEN] = token(api, name, namespace)
        return writers.access(request)

    assert preview_addition(access_of("writer"), desired).body["metadata"]["name"] == NAME
    with pytest.raises(NotPermittedError, match=f"system:serviceaccount:{namespace}:reader may not get kafkaclusters"):
        preview_addition(access_of("reader"), desired)
    with pytest.raises(CommandFailedError, match="no token of yours that the API server takes"):
        access_of(None)
