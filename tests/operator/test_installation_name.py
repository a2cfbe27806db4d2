"""The name in broker configs is kept: whoever changes it is told before anything is written under another."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kwitness.operator.adapters.api_session import WatchHealth, open_session
from kwitness.operator.adapters.kubernetes import Kubernetes
from kwitness.operator.installation import CONFIG_MAP, InstallationChangedError, find_installation
from kwitness.runtime.api_access import find_access

from tests.eventually import eventually
from tests.operator.in_process import settings_of
from tests.operator.surroundings import OperatorProcess, get


@pytest.fixture
async def kubernetes(api) -> AsyncIterator[Kubernetes]:
    access = find_access(api.kubeconfig_of("operator"))
    async with open_session(access, WatchHealth()) as session:
        yield Kubernetes(session, access.server)


def _named(namespace: str, name: str | None):
    return settings_of(namespace, Path(), installation=name)


async def test_a_name_is_made_once_and_kept(kubernetes, api, namespace):
    made = await find_installation(kubernetes, _named(namespace, None))
    assert await find_installation(kubernetes, _named(namespace, None)) == made
    assert await find_installation(kubernetes, _named(namespace, made)) == made
    assert get(api, "cm", CONFIG_MAP, namespace)["data"] == {"installation": made}


async def test_a_name_that_was_given_is_kept_and_no_other_one_is_taken(kubernetes, api, namespace):
    assert await find_installation(kubernetes, _named(namespace, "north")) == "north"
    with pytest.raises(InstallationChangedError, match="installation is south, and this installation has been north"):
        await find_installation(kubernetes, _named(namespace, "south"))
    # Without a value the name stays; and another one may come once the former is forgotten on purpose.
    assert await find_installation(kubernetes, _named(namespace, None)) == "north"
    api.objects.delete("cm", CONFIG_MAP, namespace=namespace)
    assert await find_installation(kubernetes, _named(namespace, "south")) == "south"


def test_the_operator_does_not_start_under_another_name_and_says_why(api, namespace, start_operator, tmp_path):
    start_operator().stop()
    settings = {"namespace": namespace, "watchNamespaces": [namespace], "installation": "another"}
    other = OperatorProcess(tmp_path, api.kubeconfig_of("operator"), settings)
    assert eventually(other.process.poll) == 1
    assert f"set the value to {namespace}" in other.log_file.read_text()


def test_an_operator_whose_token_is_not_accepted_waits_for_another(api, namespace, tmp_path):
    config = json.loads(api.kubeconfig_of("operator").read_text())
    user = config["users"][0]["user"]
    token, kubeconfig = tmp_path / "token", tmp_path / "kubeconfig"
    accepted, user["tokenFile"] = user.pop("token"), str(token)
    kubeconfig.write_text(json.dumps(config))
    token.write_text("of-a-pod-that-is-gone")
    settings = {"namespace": namespace, "watchNamespaces": [namespace]}

    def started() -> OperatorProcess:
        operator = OperatorProcess(tmp_path, kubeconfig, settings)
        eventually(lambda: any("(401 Unauthorized)" in line.get("detail", "") for line in operator.lines()))
        return operator

    waiting, stopped = started(), started()
    assert stopped.stop() == 0
    token.write_text(accepted)
    eventually(lambda: waiting.probe("/readyz")[0] == 200)
    assert waiting.stop() == 0
    assert not [line for operator in (waiting, stopped) for line in operator.lines() if "exception" in line]
