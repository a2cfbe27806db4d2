"""What the operator's tests share: resources, waiting, the operator as a process, the broker seen without our code."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kafka import KafkaAdminClient
from kafka.admin import AlterConfigOp, ConfigResource, ConfigResourceType
from prometheus_client.parser import text_string_to_metric_families

from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import wait_for_exit

from tests.eventually import ANSWER_S, eventually
from tests.forked import ForkedProgram, import_once

WRITES = {"create", "update", "patch", "delete", "deletecollection"}


def apply(api: ApiServer, *objects: dict[str, Any]) -> None:
    api.objects.apply(*objects)


def get(api: ApiServer, kind: str, name: str, namespace: str) -> dict[str, Any]:
    return api.objects.get(kind, name, namespace)


def ready(api: ApiServer, kind: str, name: str, namespace: str) -> dict[str, Any]:
    conditions = get(api, kind, name, namespace).get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == "Ready"), {"reason": None, "message": ""})


def condition(api: ApiServer, kind: str, name: str, namespace: str, about: str) -> dict[str, Any]:
    """One of a resource's conditions."""
    conditions = get(api, kind, name, namespace).get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == about), {"status": None, "reason": None, "message": ""})


def drift_repairs(page: str, namespace: str, name: str) -> float:
    """How often a ClientMetricsSubscription was put right, by an operator's page of metrics."""
    labels = {"kind": "ClientMetricsSubscription", "namespace": namespace, "name": name}
    return sum(
        sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
        if sample.name == "kwitness_drift_repairs_total" and sample.labels == labels
    )


def cluster(name: str, namespace: str, *servers: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "KafkaCluster",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"bootstrapServers": list(servers), **spec},
    }


def analytics_job(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    """A job whose table has its name; ``spec`` may have fields of its analysis too."""
    analysis = {"type": "ClientInventory", "table": name, "run": {"streaming": {}}}
    analysis |= {field: spec.pop(field) for field in ("type", "table", "run", "parameters") if field in spec}
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "AnalyticsJob",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterRef": {"name": "main"}, "analyses": [analysis], **spec},
    }


def subscription(name: str, namespace: str, *, cluster: str = "main", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "ClientMetricsSubscription",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterRef": {"name": cluster}, "metrics": ["org.apache.kafka."], "interval": "5s", **spec},
    }


def collector(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "TelemetryCollector",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterRef": {"name": "main"}, "ingest": {"tls": {"mode": "Disabled"}}, **spec},
    }


def gateway(name: str, namespace: str, **spec: Any) -> dict[str, Any]:
    observers = [{"type": "Connections"}, {"type": "Traffic"}]
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "ObserverDeployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"clusterRef": {"name": "main"}, "gateway": {}, "observers": observers, **spec},
    }


def secret(name: str, namespace: str, **data: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace},
        "stringData": {key.replace("_", "."): value for key, value in data.items()},
    }


def may(api: ApiServer, user: str, verb: str, resource: str, namespace: str) -> bool:
    """Whether the API server lets a user do something by now: what is said of rights takes effect a moment later."""
    plural, _, group = resource.partition(".")
    asked = {"namespace": namespace, "verb": verb, "group": group, "resource": plural}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview"}
    answer = api.request(
        "POST",
        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
        json={**review, "spec": {"user": user, "resourceAttributes": asked}},
    )
    return bool(answer.json()["status"]["allowed"])


def audiences(token: str) -> list[str]:
    """Whom a projected token is for, by its own word."""
    claims = token.split(".")[1]
    return list(json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["aud"])


def until_reason(api: ApiServer, kind: str, name: str, namespace: str, reason: str) -> str:
    found: dict[str, Any] = {}

    def reached() -> bool:
        found.update(ready(api, kind, name, namespace))
        return found["reason"] == reason

    try:
        eventually(reached)
    except AssertionError as error:
        raise AssertionError(f"{kind} {name} is not {reason} but {found}") from error
    return str(found["message"])


PROGRAM = "tests.operator.in_its_image"
import_once(PROGRAM)
START = f"import runpy; runpy.run_module({PROGRAM!r}, run_name='__main__', alter_sys=True)"


class OperatorProcess:
    """``python -m kwitness.operator`` with settings of its own; `imports` is for one whose memory is looked at.

    ``more`` are variables of its environment.
    """

    def __init__(
        self,
        folder: Path,
        kubeconfig: Path,
        settings: dict[str, Any],
        *,
        imports: bool = False,
        more: Mapping[str, str] | None = None,
    ) -> None:
        self.port = free_port()
        self.log_file = folder / f"operator-{self.port}.log"
        everything = {
            "images": {
                "collector": "kwitness/collector:1",
                "observer": "kwitness/observer:1",
                "spark": "kwitness/spark:1",
            },
            "probePort": self.port,
            **settings,
        }
        path = folder / f"settings-{self.port}.json"
        path.write_text(json.dumps(everything))
        environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "MALLOC_ARENA_MAX": "2", **(more or {})}
        self.process: ForkedProgram | subprocess.Popen[bytes]
        if imports:
            with self.log_file.open("ab") as log:
                command = [sys.executable, "-c", START, str(path)]
                self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        else:
            self.process = ForkedProgram(PROGRAM, [str(path)], log=self.log_file, environment=environment)

    def probe(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=ANSWER_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log_file.read_text().splitlines() if line.startswith("{")]

    def stop(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return wait_for_exit(self.process)


HOMES: dict[str, str] = {}
"""Namespace to that of its operator, where it is another."""


def config_name(namespace: str, resource: str = "basic") -> str:
    """The name that a subscription has at the brokers."""
    return f"kwitness.{HOMES.get(namespace, namespace)}.{namespace}.{resource}"


def broker_configs(broker: LocalBroker) -> dict[str, dict[str, str]]:
    """Every CLIENT_METRICS resource, read without the operator's code."""
    client = KafkaAdminClient(bootstrap_servers=broker.bootstrap, client_id="test")
    try:
        names = client.list_config_resources([ConfigResourceType.CLIENT_METRICS]).get("client_metrics", [])
        if not names:
            return {}
        wanted = [ConfigResource(ConfigResourceType.CLIENT_METRICS, name) for name in names]
        found = client.describe_configs(wanted)["client_metrics"]
    finally:
        client.close()
    return {name: {key: one["value"] for key, one in entries.items()} for name, entries in found.items()}


def until_configs(
    broker: LocalBroker, holds: Callable[[dict[str, dict[str, str]]], object]
) -> dict[str, dict[str, str]]:
    """Wait for what was written: a broker may say so a moment before its answers to other questions show it."""
    return eventually(lambda: broker_configs(broker), holds)


def alter_broker(broker: LocalBroker, name: str, configs: dict[str, str] | None) -> None:
    """Write or remove a CLIENT_METRICS resource as somebody else."""
    removal = dict.fromkeys(("metrics", "interval.ms", "match"), (AlterConfigOp.DELETE, None))
    client = KafkaAdminClient(bootstrap_servers=broker.bootstrap, client_id="test")
    try:
        resource = ConfigResource(ConfigResourceType.CLIENT_METRICS, name, configs=configs or removal)
        answer = client.alter_configs([resource], raise_on_unknown=False)
    finally:
        client.close()
    assert answer["client_metrics"][name] == "OK"


def writes_in_resyncs(api: ApiServer, namespace: str, *, user: str = "operator", resyncs: int = 3) -> list[str]:
    """Writes of an operator until it has listed a namespace's clusters so many times more."""

    def lists() -> int:
        return sum(
            event["user"].get("username") == user
            and event["verb"] == "list"
            and event["objectRef"]["resource"] == "kafkaclusters"
            and event["objectRef"].get("namespace") == namespace
            for event in api.audit(since)
        )

    since = api.audit_end()
    # What the first one finds is decided before another begins.
    eventually(lists, lambda count: count > resyncs)
    return writes_of(api, user, since)


def writes_of(api: ApiServer, user: str, since: int) -> list[str]:
    """Writes in the audit log since an ``audit_end``."""
    return [
        f"{event['verb']} {event['requestURI']}"
        for event in api.audit(since)
        if event["user"].get("username") == user and event["verb"] in WRITES
    ]
