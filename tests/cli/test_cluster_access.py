"""Whom the command asks, with whose permissions, and what it says when it may not: a real API server with RBAC."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import yaml

from kwitness.answers import subscription_request
from kwitness.e2e.binaries import kubectl
from kwitness.images.commands import silent
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import run_to_end

from tests.cli.conftest import cluster
from tests.eventually import eventually

pytestmark = pytest.mark.slow
LIST = ("subscriptions", "list", "--output", "json")
PRODUCER = "org.apache.kafka.producer."


def grants(said: str) -> list[list[str]]:
    """The commands that a refusal names."""
    return [line.removesuffix("\n").split()[1:] for line in re.findall(r"kubectl create .*", said)]


def test_a_refusal_names_the_permission_and_the_commands_that_it_names_give_it(api, namespace, newcomer):
    api.objects.apply(cluster("orders", namespace))
    add = ("-n", namespace, "subscriptions", "add", "one", "--metric", PRODUCER)
    who = f"system:serviceaccount:{namespace}:newcomer"
    missing = [
        f"{who} may not list kafkaclusters.kwitness.dev in namespace {namespace}",
        f"{who} may not create clientmetricssubscriptions.kwitness.dev one in namespace {namespace}",
    ]
    refused = newcomer.types(*add)
    for sentence in missing:
        assert refused.returncode == 3
        assert sentence in refused.stderr
        commands = grants(refused.stderr)
        assert [command[1] for command in commands] == ["role", "rolebinding"]
        for command in commands:
            api.kubectl(*command)
        # What is said of permissions takes effect a moment later.
        refused = eventually(lambda: newcomer.types(*add), lambda done: sentence not in done.stderr)  # noqa: B023

    assert refused.stdout.startswith("subscription one was added")


def test_what_concerns_one_object_is_granted_for_it_alone(api, namespace, person, newcomer):
    api.objects.apply(cluster("orders", namespace))
    person.done("subscriptions", "add", "one", "--metric", PRODUCER)
    person.done("subscriptions", "add", "two", "--metric", PRODUCER)
    refused = newcomer.types("-n", namespace, "subscriptions", "delete", "one")
    for command in grants(refused.stderr):
        api.kubectl(*command)

    assert "may not delete clientmetricssubscriptions.kwitness.dev one in namespace" in refused.stderr
    eventually(lambda: newcomer.types("-n", namespace, "subscriptions", "delete", "one").returncode == 0)
    assert newcomer.types("-n", namespace, "subscriptions", "delete", "two").returncode == 3


def test_all_namespaces_need_a_permission_of_the_whole_cluster(namespace, newcomer):
    refused = newcomer.types("subscriptions", "list", "-A")

    assert "in the whole cluster" in refused.stderr
    assert [command[1] for command in grants(refused.stderr)] == ["clusterrole", "clusterrolebinding"]
    assert "--namespace" not in refused.stderr


def test_who_may_not_see_clusters_sees_subscriptions_and_is_told_what_is_missing(api, namespace, person, newcomer):
    api.objects.apply(cluster("orders", namespace))
    person.done("subscriptions", "add", "one", "--metric", PRODUCER)
    for command in grants(newcomer.types("-n", namespace, *LIST).stderr):
        api.kubectl(*command)
    listed = eventually(lambda: newcomer.types("-n", namespace, *LIST), lambda done: done.returncode == 0)

    assert [one["name"] for one in json.loads(listed.stdout)["items"]] == ["one"]
    assert "what others ask at the brokers is not seen" in listed.stderr
    assert "may not list kafkaclusters.kwitness.dev" in listed.stderr


def test_context_and_namespace_are_those_of_the_kubeconfig_unless_given(api, namespace, another_namespace, person):
    content = json.loads(person.kubeconfig.read_text())
    far = {"name": "far", "context": {**content["contexts"][0]["context"], "namespace": another_namespace}}
    person.kubeconfig.write_text(json.dumps({**content, "contexts": [*content["contexts"], far]}))
    for name in (namespace, another_namespace):
        api.objects.apply(cluster(f"of-{name}", name))
    by_default = person.types("subscriptions", "add", "one", "--metric", "*", "--dry-run")
    by_context = person.types("--context", "far", "subscriptions", "add", "one", "--metric", "*", "--dry-run")
    by_option = person.types("subscriptions", "add", "one", "--metric", "*", "--dry-run", "-n", another_namespace)
    none = person.types("--context", "nowhere", *LIST)

    found = [yaml.safe_load(one.stdout)["metadata"]["namespace"] for one in (by_default, by_context, by_option)]
    assert found == [namespace, another_namespace, another_namespace]
    assert none.returncode == 1
    assert "the kubeconfig has no context nowhere: there are: far, it" in none.stderr


def test_an_api_server_that_is_away_and_one_that_does_not_know_us_are_told_apart(person, tmp_path):
    content = json.loads(person.kubeconfig.read_text())
    stranger = tmp_path / "stranger"
    stranger.write_text(json.dumps({**content, "users": [{"name": "it", "user": {"token": "nobody"}}]}))
    content["clusters"][0]["cluster"]["server"] = f"https://127.0.0.1:{free_port()}"
    person.kubeconfig.write_text(json.dumps(content))
    away, unknown = person.types(*LIST), person.types("--kubeconfig", str(stranger), *LIST)

    assert (away.returncode, unknown.returncode) == (1, 1)
    assert "cannot be reached (" in away.stderr
    assert "Connection refused" in away.stderr
    assert "does not know who asks: sign in again" in unknown.stderr


def test_without_a_kubeconfig_it_says_how_to_name_one(person, tmp_path):
    done = person.runs(*LIST, KUBECONFIG=str(tmp_path / "gone"))

    assert done.returncode == 1
    assert "no cluster is configured" in done.stderr
    assert "--kubeconfig or KUBECONFIG" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cluster_without_kwitness_is_named_as_such(api, person, newcomer, monkeypatch):
    """As before `kubectl apply -f crds`: the path is not served."""
    monkeypatch.setattr("kwitness.answers.access.cluster_access.API_VERSION", "kwitness.dev/v0")
    done = person.types(*LIST)

    assert done.returncode == 1
    assert "knows no clientmetricssubscriptions: kwitness is not installed in this cluster" in done.stderr


def test_an_older_installation_is_named_when_it_would_drop_what_was_asked(api, namespace, person, monkeypatch):
    """Strict validation refuses what the definitions do not have, instead of dropping it."""
    api.objects.apply(cluster("orders", namespace))
    whole = subscription_request.subscription
    monkeypatch.setattr(
        "kwitness.cli.subscriptions.subscription",
        lambda request: {**whole(request), "spec": {**whole(request)["spec"], "ofTomorrow": True}},
    )
    done = person.types("subscriptions", "add", "one", "--metric", "*")

    assert done.returncode == 1
    assert "does not know spec.ofTomorrow: upgrade it, or leave that out" in done.stderr


def test_a_command_run_by_kubectl_calls_itself_so(person, tmp_path):
    """Kubectl runs what is called kubectl-kwitness on the PATH."""
    program = Path(sys.executable).parent
    environment = {**person.environment, "PATH": f"{program}:{person.environment['PATH']}"}
    done = run_to_end([kubectl(silent), "kwitness", "subscriptions", "list", "--context", "nowhere"], env=environment)

    assert done.returncode == 1
    assert done.stderr.startswith("kubectl kwitness subscriptions: the kubeconfig has no context nowhere")


@pytest.mark.parametrize("field", [{"as": "nobody"}, {"as-uid": "1"}, {"as-groups": ["team-a"]}])
def test_a_context_that_impersonates_is_refused_and_never_read_with_the_rights_of_its_user(api, person, field):
    content = json.loads(api.kubeconfig.read_text())
    content["users"][0]["user"] |= {"as": "nobody", **field}
    person.kubeconfig.write_text(json.dumps(content))

    refused = person.types(*LIST)

    assert (refused.returncode, refused.stdout) == (1, "")
    assert "impersonates" in refused.stderr
    assert all(name in refused.stderr for name in field)
