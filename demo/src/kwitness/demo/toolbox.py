"""A pod that speaks Kafka's admin protocol from inside the cluster, for what a person would do by hand."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kwitness.demo import waiting
from kwitness.demo.cluster import DemoCluster
from kwitness.images.commands import CommandFailedError
from kwitness.sandbox.waiting import wait_until

PROGRAM = """
import json, sys
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

kind = ConfigResourceType.CLIENT_METRICS


def subscriptions():
    names = admin.list_config_resources([kind]).get("client_metrics", [])
    if not names:
        return {}
    found = admin.describe_configs([ConfigResource(kind, name) for name in names])["client_metrics"]
    return {name: {key: one["value"] for key, one in entries.items()} for name, entries in found.items()}


def alter(name, configs):
    resource = ConfigResource(kind, name, {key: ("SET", value) for key, value in configs.items()})
    return admin.alter_configs([resource], raise_on_unknown=False, incremental=True)["client_metrics"][name]


def remove(name):
    resource = ConfigResource(kind, name, {key: ("DELETE", None) for key in ("metrics", "interval.ms", "match")})
    return admin.alter_configs([resource], raise_on_unknown=False, incremental=True)["client_metrics"][name]


def brokers():
    return [one["node_id"] if "node_id" in one else one["broker_id"] for one in admin.describe_cluster()["brokers"]]


for line in sys.stdin:
    order = json.loads(line)
    admin = KafkaAdminClient(bootstrap_servers=order["bootstrap"], client_id="toolbox", request_timeout_ms=20000)
    print(json.dumps(globals()[order["do"]](*order["with"])), flush=True)
    admin.close()
"""
"""Answers orders, a line each: to import the library takes a second, so one process serves them all."""


@dataclass(frozen=True, kw_only=True)
class Toolbox:
    """Runs one admin call at a time in the pod `toolbox`, against the listener without authentication."""

    cluster: DemoCluster
    namespace: str
    image: str
    bootstrap: str
    _answering: list[subprocess.Popen[str]] = field(default_factory=list, init=False)
    """The process that answers, last."""

    def start(self) -> None:
        """Make the pod and wait until it runs."""
        self.cluster.apply_objects(self._pod(), namespace=self.namespace)
        wait_until(
            lambda: self.cluster.find("pod", "toolbox", self.namespace).get("status", {}),
            lambda status: (waiting.condition({"status": status}, "Ready") or {}).get("status") == "True",
            what="the pod toolbox",
        )

    def subscriptions(self) -> dict[str, dict[str, str]]:
        """Every CLIENT_METRICS config of the brokers: name to its entries."""
        return dict(self._call("subscriptions"))

    def alter(self, name: str, configs: Mapping[str, str]) -> None:
        """Set entries of one CLIENT_METRICS config, as somebody would by hand."""
        self._accepted(self._call("alter", name, dict(configs)), name)

    def remove(self, name: str) -> None:
        """Delete one CLIENT_METRICS config, as somebody would by hand."""
        self._accepted(self._call("remove", name), name)

    @staticmethod
    def _accepted(answer: object, name: str) -> None:
        if answer != "OK":
            message = f"the broker refused to change {name}: {answer}"
            raise RuntimeError(message)

    def stop(self) -> None:
        """End the process that answers; the pod stays."""
        for process in self._answering:
            process.communicate()

    def _call(self, do: str, *arguments: object) -> Any:
        if not self._answering or self._answering[-1].poll() is not None:
            program = ("exec", "-i", "toolbox", "--namespace", self.namespace, "--", "python3", "-c", PROGRAM)
            self._answering.append(self.cluster.begin(*program))
        process = self._answering[-1]
        order = json.dumps({"bootstrap": self.bootstrap, "do": do, "with": arguments})
        if process.stdin is None or process.stdout is None:
            raise AssertionError("the process was started without its input and output")
        process.stdin.write(f"{order}\n")
        process.stdin.flush()
        if not (answer := process.stdout.readline()):
            raise CommandFailedError(["toolbox", order], process.wait(), "no answer; standard error says why")
        return json.loads(answer)

    def _pod(self) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "toolbox", "labels": {"app.kubernetes.io/name": "toolbox"}},
            "spec": {
                "terminationGracePeriodSeconds": 0,
                "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
                "containers": [
                    {
                        "name": "toolbox",
                        "image": self.image,
                        "imagePullPolicy": "IfNotPresent",
                        "command": ["sleep", "infinity"],
                        "env": [{"name": "PYTHONPATH", "value": "/opt/kafka-python-3.0.12"}],
                        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
                        "securityContext": {
                            "allowPrivilegeEscalation": False,
                            "readOnlyRootFilesystem": True,
                            "capabilities": {"drop": ["ALL"]},
                        },
                    }
                ],
            },
        }
