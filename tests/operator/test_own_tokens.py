"""The operator shows each collector and driver a token that is worth nothing anywhere else."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from kwitness.contracts.audiences import driver_audience, inventory_audience
from kwitness.e2e.api_server import ApiServer
from kwitness.operator.adapters.api_session import WatchHealth, open_session
from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.adapters.own_tokens import OwnTokens
from kwitness.operator.model.errors import TransientError
from kwitness.runtime.api_access import find_access

from tests.operator.surroundings import audiences

HERE, THERE = inventory_audience("team-a", "main"), inventory_audience("team-b", "main")


@pytest.fixture
async def kubernetes(api) -> AsyncIterator[Kubernetes]:
    access = find_access(api.kubeconfig_of("operator"))
    async with open_session(access, WatchHealth()) as session:
        yield Kubernetes(session, access.server)


def accepted(api: ApiServer, token: str, audience: str) -> bool:
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview"}
    answer = api.request(
        "POST",
        "/apis/authentication.k8s.io/v1/tokenreviews",
        json={**review, "spec": {"token": token, "audiences": [audience]}},
    ).json()
    return bool(answer["status"].get("authenticated"))


async def test_a_token_is_worth_nothing_at_another_target(api, namespace, kubernetes):
    tokens = OwnTokens(kubernetes, namespace, "kwitness-operator")
    token = await tokens.token_for(HERE)
    assert audiences(token) == [HERE]
    assert accepted(api, token, HERE)
    api_server = "https://kubernetes.default.svc"
    assert not any(accepted(api, token, other) for other in (THERE, driver_audience("team-a", "main"), api_server))


async def test_a_token_is_used_for_half_its_life(namespace, kubernetes):
    now = 1000.0
    tokens = OwnTokens(kubernetes, namespace, "kwitness-operator", lambda: now)
    first, other = await tokens.token_for(HERE), await tokens.token_for(THERE)
    now += 299
    assert [await tokens.token_for(HERE), await tokens.token_for(THERE)] == [first, other]
    now += 1
    assert await tokens.token_for(HERE) != first


@pytest.mark.parametrize("account", ["default", "absent"])
async def test_tokens_of_others_are_not_to_be_had(namespace, kubernetes, account):
    with pytest.raises(TransientError, match="ServiceAccount") as caught:
        await OwnTokens(kubernetes, namespace, account).token_for(HERE)
    assert caught.value.reason == "KubernetesForbidden"
