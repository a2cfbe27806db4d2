"""A real node: what pods, people and tests get from it, and what it leaves when it goes."""

from __future__ import annotations

import base64
import json
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from kwitness.e2e.cluster import Cluster
from kwitness.e2e.node.kubernetes_node import KubernetesNode
from kwitness.e2e.node.removal import remove_node
from kwitness.images import container_engine
from kwitness.images.base_images import base_image
from kwitness.images.commands import CommandFailedError
from kwitness.images.image_recipes import PYTHON_BASE

from tests import soak
from tests.eventually import eventually

pytestmark = pytest.mark.node

T = TypeVar("T")
NAMESPACE = "node-tests"
ALIVE_SECONDS = soak.share(120)
"""Several times as long as a kubelet takes to look for pods it does not know, which is every two seconds."""


@pytest.fixture(scope="module")
def image(node: KubernetesNode) -> str:
    """A small image with Python, on the node."""
    name = base_image("kwitness-base/python", PYTHON_BASE)
    node.load_images([name])
    return name


def test_the_image_of_sandboxes_stays_when_others_are_forgotten(node: KubernetesNode) -> None:
    """Without it no further pod starts: the node cannot pull it from anywhere."""
    node.forget_images("kwitness/pause", keep=())

    assert "docker.io/kwitness/pause:local" in node.run("ctr", "-n", "k8s.io", "images", "list", "-q").split()


@pytest.fixture(scope="module")
def namespace(node: KubernetesNode) -> Iterator[str]:
    """A namespace that enforces Pod Security `restricted`."""
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    node.apply(json.dumps({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": labels}}))
    until_no_error(lambda: node.kubectl("get", "serviceaccount", "default", f"--namespace={NAMESPACE}"))
    yield NAMESPACE
    node.kubectl("delete", "namespace", NAMESPACE)


def pod(name: str, image: str, command: list[str], **spec: object) -> str:
    """A pod that `restricted` admits."""
    container = {
        "name": "main",
        "image": image,
        "command": command,
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        **({"volumeMounts": [{"name": "data", "mountPath": "/data"}]} if "volumes" in spec else {}),
    }
    security = {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}}
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": {"app": name}},
            "spec": {
                "containers": [container],
                "securityContext": security,
                "terminationGracePeriodSeconds": 0,
                **spec,
            },
        }
    )


def until_no_error(look: Callable[[], T]) -> T:
    """Look again until it no longer fails."""
    return eventually(look, lambda _: True, passing=(CommandFailedError, AssertionError), every=0.3)


def until_pod(node: Cluster, name: str, namespace: str, phase: str = "Running") -> None:
    """Wait until a pod is in a phase; in Running, until it is ready as well."""

    def is_there(status: Any) -> bool:
        ready = any((one["type"], one["status"]) == ("Ready", "True") for one in status.get("conditions", []))
        return bool(status["phase"] == phase and (ready or phase != "Running"))

    eventually(lambda: node.get("pod", name, f"--namespace={namespace}")["status"], is_there, every=0.5)


def test_pods_reach_each_other_by_name_and_people_reach_them(node: KubernetesNode, namespace: str, image: str) -> None:
    node.apply(pod("web", image, ["python3", "-m", "http.server", "8000", "--directory", "/etc"]), namespace=namespace)
    service = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8000}]}
    node.apply(
        json.dumps({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": service}),
        namespace=namespace,
    )
    until_pod(node, "web", namespace)

    program = "import urllib.request as u; print(u.urlopen('http://web.node-tests.svc/hostname', timeout=20).status)"
    answer = until_no_error(
        lambda: node.kubectl("exec", "web", f"--namespace={namespace}", "--", "python3", "-c", program)
    )
    assert answer.strip() == "200"
    with node.port_forward(namespace, "service/web", 80) as port:
        assert urllib.request.urlopen(f"http://127.0.0.1:{port}/hostname", timeout=30).read().strip() == b"web"


def test_any_user_id_writes_to_a_claimed_volume_and_the_next_claim_finds_it_empty(
    node: KubernetesNode, namespace: str, image: str
) -> None:
    def claim(name: str) -> list[dict[str, object]]:
        spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
        document = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}
        node.apply(json.dumps(document), namespace=namespace)
        return [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]

    def run(name: str, script: str, volumes: list[dict[str, object]]) -> str:
        node.apply(pod(name, image, ["sh", "-c", script], volumes=volumes, restartPolicy="Never"), namespace=namespace)
        until_pod(node, name, namespace, "Succeeded")
        output = node.kubectl("logs", name, f"--namespace={namespace}")
        node.kubectl("delete", "pod", name, f"--namespace={namespace}")
        return output

    run("writer", "echo kept > /data/file", claim("first"))
    volume = node.get("persistentvolumeclaim", "first", f"--namespace={namespace}")["spec"]["volumeName"]
    node.kubectl("delete", "persistentvolumeclaim", "first", f"--namespace={namespace}")

    def emptied() -> None:
        assert node.get("persistentvolume", volume)["status"]["phase"] == "Available"

    until_no_error(emptied)
    assert run("reader", "ls -A /data", claim("second")).strip() == ""


def test_a_pod_that_restricted_forbids_is_refused(node: KubernetesNode, namespace: str, image: str) -> None:
    host = [{"name": "data", "hostPath": {"path": "/"}}]
    with pytest.raises(CommandFailedError, match=r"violates PodSecurity .*restricted"):
        node.apply(pod("forbidden", image, ["true"], volumes=host), namespace=namespace)


def test_a_projected_token_is_reviewed_for_its_audience(node: KubernetesNode, namespace: str) -> None:
    token = node.kubectl("create", "token", "default", f"--namespace={namespace}", "--audience=kwitness-collector.a.b")

    def review(audience: str) -> dict[str, object]:
        spec = {"token": token.strip(), "audiences": [audience]}
        document = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": spec}
        answer = node.kubectl("create", "--filename=-", "--output=json", input=json.dumps(document))
        return dict(json.loads(answer)["status"])

    accepted = review("kwitness-collector.a.b")
    assert accepted["authenticated"] is True
    assert accepted["user"]["username"] == f"system:serviceaccount:{namespace}:default"  # type: ignore[index]
    assert not review("kwitness-collector.a.c").get("authenticated")


def test_the_api_server_proves_who_it_is_and_admits_nobody_without_credentials(node: KubernetesNode) -> None:
    config = node.kubectl("config", "view", "--raw", "--output=json")
    cluster = json.loads(config)["clusters"][0]["cluster"]
    assert "insecure-skip-tls-verify" not in cluster
    with pytest.raises(ssl.SSLCertVerificationError):
        _open(cluster["server"], ssl.create_default_context())
    authority = ssl.create_default_context(cadata=_decoded(cluster["certificate-authority-data"]))
    with pytest.raises(urllib.error.HTTPError, match="403"):
        _open(cluster["server"], authority)
    assert node.kubeconfig.stat().st_mode & 0o077 == 0


def _decoded(data: str) -> str:
    return base64.b64decode(data).decode()


def _open(server: str, context: ssl.SSLContext) -> None:
    try:
        urllib.request.urlopen(f"{server}/api/v1/secrets", context=context, timeout=30)  # noqa: S310 # the node's own https address
    except urllib.error.URLError as error:
        raise error.reason if isinstance(error.reason, Exception) else error from error


def test_the_audit_log_counts_who_wrote_what(node: KubernetesNode, namespace: str) -> None:
    def writes() -> list[str]:
        return [
            event["verb"]
            for event in node.audit()
            if event.get("objectRef", {}).get("name") == "counted" and event["verb"] in {"create", "patch", "delete"}
        ]

    node.kubectl("create", "configmap", "counted", f"--namespace={namespace}")
    node.kubectl("annotate", "configmap", "counted", "a=b", f"--namespace={namespace}")
    node.kubectl("get", "configmap", "counted", f"--namespace={namespace}")

    def are_there() -> None:
        assert writes() == ["create", "patch"]

    until_no_error(are_there)
    assert all(event["stage"] != "RequestReceived" and "requestObject" not in event for event in node.audit())


def test_logs_of_processes_and_pods_are_collected(
    node: KubernetesNode, namespace: str, image: str, tmp_path: Path
) -> None:
    node.apply(pod("speaker", image, ["sh", "-c", "echo heard; sleep 600"]), namespace=namespace)
    until_pod(node, "speaker", namespace)

    def has_spoken() -> None:
        assert "heard" in node.kubectl("logs", "speaker", f"--namespace={namespace}")

    until_no_error(has_spoken)

    folder = node.collect_logs(tmp_path / "logs")

    assert (folder / "processes" / "apiserver.log").stat().st_size
    assert any("heard" in file.read_text() for file in folder.glob(f"pods/{namespace}_speaker_*/main/*.log"))
    assert "speaker" in (folder / "objects.txt").read_text()


@pytest.mark.soak
def test_two_nodes_leave_each_others_pods_alone_and_the_second_leaves_nothing(
    node: KubernetesNode, namespace: str, image: str
) -> None:
    before = _leftovers("kwitness-test-second")
    sleeping = ["sleep", "3600"]
    with KubernetesNode(name="kwitness-test-second") as second:
        try:
            second.load_images([image])
            node.apply(pod("long", image, sleeping), namespace=namespace)
            second.apply(pod("long", image, sleeping), namespace="default")
            for cluster, place in ((node, namespace), (second, "default")):
                until_pod(cluster, "long", place)

            time.sleep(ALIVE_SECONDS)

            for cluster, place in ((node, namespace), (second, "default")):
                (status,) = cluster.get("pod", "long", f"--namespace={place}")["status"]["containerStatuses"]
                assert (status["ready"], status["restartCount"]) == (True, 0)
        finally:
            nameless = _nameless_volumes("kwitness-test-second")
            second.stop(keep_images=False)
    assert _leftovers("kwitness-test-second") == before == []
    assert nameless
    assert not nameless & set(container_engine.docker("volume", "ls", "--quiet").split())


def test_a_node_whose_container_somebody_removed_is_cleaned_up_all_the_same() -> None:
    KubernetesNode(name="kwitness-test-orphan").start()
    container_engine.docker("rm", "--force", "--volumes", "kwitness-test-orphan")

    remove_node("kwitness-test-orphan", keep_images=False)

    assert _leftovers("kwitness-test-orphan") == []


def _nameless_volumes(container: str) -> set[str]:
    names = container_engine.docker("inspect", container, "--format", "{{range .Mounts}}{{.Name}} {{end}}").split()
    return {name for name in names if not name.startswith(container)}


def _leftovers(name: str) -> list[str]:
    containers = container_engine.docker("ps", "--all", "--quiet", "--filter", f"name={name}").split()
    volumes = container_engine.docker("volume", "ls", "--quiet", "--filter", f"name={name}").split()
    groups = subprocess.run(["find", "/sys/fs/cgroup", "-name", name], capture_output=True, text=True, check=False)
    return [*containers, *volumes, *groups.stdout.split()]
