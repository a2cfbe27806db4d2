"""The guide for Strimzi is followed on an API server with Strimzi's definitions: every manifest, every command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kwitness.answers.views.acl_commands import acl_commands
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.strimzi import RELEASES, Release, definitions, find_java
from kwitness.images.commands import CommandFailedError
from kwitness.images.image_parts import REPOSITORY

from tests.chart.reader import Reader
from tests.eventually import eventually

pytestmark = pytest.mark.slow

PAGE = "docs/guides/strimzi.md"
BLOCKS = re.findall(r"^```yaml\n(.*?)^```", (REPOSITORY / PAGE).read_text(), re.MULTILINE | re.DOTALL)
OF_STRIMZI = [block for block in BLOCKS if "apiVersion: kafka.strimzi.io/" in block]
NAMES = {"Operator": "kwitness-operator", "Collector": "kwitness-collector", "Analytics": "kwitness-spark"}
RESOURCES = [one for block in BLOCKS for one in yaml.safe_load_all(block) if isinstance(one, dict) and "kind" in one]


def made(release: Release) -> list[str]:
    """The files of a release's definitions; none where its generator has no Java to run on."""
    java = find_java(release.java)
    return [str(file) for file in sorted(definitions(release, java).glob("*.yaml"))] if java else []


@pytest.fixture(scope="module")
def server(lent_server: ApiServer) -> ApiServer:
    """An API server with the definitions of the newest release that the Java of this machine can make."""
    files = next(files for release in reversed(RELEASES) if (files := made(release)))
    lent_server.empty()
    for file in files:
        lent_server.kubectl("create", "--filename", file)
    lent_server.await_definitions()
    return lent_server


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [one for one in RESOURCES if one["kind"] == kind]


def test_a_reader_gets_to_the_end(server: ApiServer, tmp_path: Path) -> None:
    reader = Reader(server, tmp_path)
    # What such a reader has: kwitness by the other guide, Strimzi's cluster, and a certificate by cert-manager.
    reader.types("helm install kwitness charts/kwitness --namespace kwitness --create-namespace --values images.json")
    server.kubectl("create", "namespace", "kafka")
    server.kubectl("apply", "--filename=-", input=json.dumps(of_kind("Kafka")[0]))
    status = json.dumps({"status": {"clusterId": "Xk2sR0aQS0mVb1nYc3dE4A"}})
    patch = ("patch", "kafkas.kafka.strimzi.io", "orders", "--namespace=kafka", "--type=merge", "--subresource=status")
    server.kubectl(*patch, f"--patch={status}")
    server.kubectl(
        *("create", "secret", "generic", "kwitness-collector-tls", "--namespace=kafka", "--from-literal=ca.crt=a CA"),
    )

    typed = reader.follows(PAGE)

    assert len(typed) == 7
    tokens = reader.types(
        "kubectl get secret kwitness-collector-tokens --namespace kafka -o jsonpath='{.data.tokens}' | base64 -d"
    )
    assert re.fullmatch(r"[0-9a-f]{64} plugin Xk2sR0aQS0mVb1nYc3dE4A", tokens)
    token = "kubectl get secret kwitness-broker-token --namespace kafka -o jsonpath='{.data.token}' | base64 -d"
    assert tokens.startswith(reader.types(token))
    readable = reader.types(
        "kubectl auth can-i get secrets/orders-cluster-ca-cert --namespace kafka "
        "--as=system:serviceaccount:kwitness:kwitness-operator"
    )
    assert readable.strip() == "yes"


def test_strimzi_takes_each_of_its_manifests_and_no_field_that_it_does_not_know(server: ApiServer) -> None:
    assert len(OF_STRIMZI) == 2
    for block in OF_STRIMZI:
        server.kubectl("apply", "--dry-run=server", "--namespace=kafka", "--filename=-", input=block)

        with pytest.raises(CommandFailedError, match=r'unknown field "spec\.kwitness"'):
            server.kubectl(
                *("apply", "--dry-run=server", "--filename=-"), input=block.replace("spec:", "spec:\n  kwitness: 1", 1)
            )


def test_what_is_marked_as_not_validated_is_what_no_published_release_knows(server: ApiServer) -> None:
    (marked,) = [yaml.safe_load(block) for block in BLOCKS if block.startswith("# Not validated")]
    (kafka,) = of_kind("Kafka")
    volumes = [*kafka["spec"]["kafka"]["template"]["pod"]["volumes"], {**marked[0], "name": "another"}]
    pod = {"volumes": volumes}
    body = {**kafka, "spec": {"kafka": {**kafka["spec"]["kafka"], "template": {"pod": pod}}}}

    with pytest.raises(CommandFailedError, match="projected"):
        server.kubectl("apply", "--dry-run=server", "--filename=-", input=json.dumps(body))


def test_the_oldest_release_that_is_meant_takes_them_too(server: ApiServer) -> None:
    if not made(RELEASES[-1]):
        pytest.skip(f"it is that one already: Strimzi {RELEASES[-1].version} needs Java {RELEASES[-1].java}")
    for file in made(RELEASES[0]):
        server.kubectl("replace", "--filename", file)
    # The older one has further versions of the API; when it answers those, it is in effect.
    older = [f"/apis/kafka.strimzi.io/v1beta2/{kind}" for kind in ("kafkas", "kafkausers")]
    eventually(lambda: all(server.request("GET", path).ok for path in older))

    for block in OF_STRIMZI:
        server.kubectl("apply", "--dry-run=server", "--namespace=kafka", "--filename=-", input=block)


def permitted(commands: tuple[str, ...]) -> set[tuple[str, str, str]]:
    """Kind of resource, name and operation of commands `kafka-acls.sh`."""
    granted = set()
    for command in commands:
        operations = re.findall(r"--operation (\w+)", command)
        resources = [
            *(("topic", name) for name in re.findall(r"--topic (\S+)", command)),
            *(("group", name) for name in re.findall(r"--group (\S+)", command)),
            *([("cluster", "")] if "--cluster" in command.split() else []),
        ]
        granted |= {(kind, name, operation) for kind, name in resources for operation in operations}
    return granted


def test_its_users_have_the_permissions_that_the_operator_asks_for() -> None:
    (resource,) = of_kind("KafkaCluster")
    needed = {component: permitted(found) for component, found in acl_commands(KafkaCluster.model_validate(resource))}
    users = {
        user["metadata"]["name"]: {
            (acl["resource"]["type"], acl["resource"].get("name", ""), operation)
            for acl in user["spec"]["authorization"]["acls"]
            for operation in acl["operations"]
        }
        for user in of_kind("KafkaUser")
    }

    assert users == {NAMES[component]: granted for component, granted in needed.items()}


def test_each_credential_is_of_one_of_its_users_and_may_be_sent_to_its_brokers() -> None:
    values = yaml.safe_load(BLOCKS[0])
    users = {user["metadata"]["name"] for user in of_kind("KafkaUser")}
    named = {
        one["spec"]["authentication"]["secretRef"]["name"]
        for one in RESOURCES
        if one["apiVersion"].startswith("kwitness.dev/") and "authentication" in one["spec"]
    }

    assert named == users
    assert {f"kafka/{name}" for name in users} == set(values["credentials"]["hosts"])
    assert "kafka" in values["watchNamespaces"]
