"""Grants the platform's users their ACLs in Kafka, by the commands that `kwitness acls` prints."""

from __future__ import annotations

import shlex
from pathlib import Path

import yaml

from kwitness.answers.views.acl_commands import acl_commands
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.demo.cluster import DemoCluster
from kwitness.demo.platform import KAFKA

USERS = {"OPERATOR": "kwitness-operator", "COLLECTOR": "kwitness-collector", "ANALYTICS": "kwitness-spark"}
"""What stands in the commands for a principal, and the demo's user."""

TOOL = ("/opt/kafka/entrypoint.sh", "org.apache.kafka.tools.AclCommand", "--bootstrap-server", "localhost:9092")
"""The class behind `kafka-acls.sh`, on the listener whose clients may do everything."""


def grant(cluster: DemoCluster, namespace: str, manifest: Path) -> None:
    """Give each component its ACLs and no more. Granting again changes nothing.

    Parameters
    ----------
    manifest
        The KafkaCluster, which says the topics' prefix.
    """
    resource = KafkaCluster.model_validate(yaml.safe_load(manifest.read_text()))
    for component in acl_commands(resource):
        for command in component.commands:
            words = shlex.split(command)
            options = [_principal(word) for word in words[words.index("--add") :]]
            cluster.kubectl("exec", f"{KAFKA}-0", f"--namespace={namespace}", "--", *TOOL, *options)


def _principal(word: str) -> str:
    for placeholder, user in USERS.items():
        if word == f"User:{placeholder}":
            return f"User:{user}"
    return word
