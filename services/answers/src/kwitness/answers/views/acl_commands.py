"""The permissions in Kafka that each component needs, as ``kafka-acls.sh`` commands; pure."""

from __future__ import annotations

from typing import NamedTuple

from kwitness.contracts.resources.kafka_cluster import KafkaCluster

__all__ = ["AclCommands", "acl_commands"]


class AclCommands(NamedTuple):
    """The commands of one component; its principal in them is its name in capitals."""

    component: str
    commands: tuple[str, ...]


def acl_commands(cluster: KafkaCluster) -> tuple[AclCommands, ...]:
    """Return the commands that grant each component the least permissions on ``cluster``."""
    base = f"kafka-acls.sh --bootstrap-server {cluster.spec.bootstrap_servers[0]} --add --allow-principal User:"
    topics = f"--topic {cluster.spec.topics.prefix} --resource-pattern-type prefixed"
    administration = "--operation Describe --operation DescribeConfigs --operation AlterConfigs --operation Create"
    return (
        AclCommands(
            "Operator",
            (
                f"{base}OPERATOR {administration} --cluster",
                f"{base}OPERATOR --operation Describe --operation DescribeConfigs {topics}",
            ),
        ),
        AclCommands("Collector", (f"{base}COLLECTOR --operation Describe --operation Write {topics}",)),
        AclCommands(
            "Analytics", (f"{base}ANALYTICS --operation Describe --operation Read {topics} --group kwitness-",)
        ),
    )
