"""Commits below the last one of their group are in the observer's totals, by who committed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient

from tests.eventually import eventually
from tests.observer.stand import Stand

pytestmark = pytest.mark.broker


def test_commits_that_go_back_are_counted_whether_a_consumer_or_a_tool_sends_them(stand: Stand) -> None:
    topic = group = "went-back"
    stand.create(topic)

    def at(offset: int) -> list[TopicPartition]:
        return [TopicPartition(topic, 0, offset)]

    reader = Consumer({"bootstrap.servers": stand.bootstrap, "client.id": "reader", "group.id": group})
    for offset in (10, 5, 9):
        reader.commit(offsets=at(offset), asynchronous=False)
    reader.close()
    tool = AdminClient({"bootstrap.servers": stand.bootstrap, "client.id": "tool"})
    for altered in tool.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(group, at(2))]).values():
        altered.result(30)

    def steps() -> Sequence[tuple[str | None, str | None, str | None, int, int]]:
        parts = (part for head in list(stand.server.heads) for part in head.totals)
        entries = (entry for part in parts for entry in part.commits_back if entry.group_id == group)
        return sorted(
            (entry.client_id, entry.topic, entry.principal, entry.commits, entry.most_records) for entry in entries
        )

    found = eventually(steps, lambda found: len(found) > 1)
    assert found == [
        ("reader", topic, "User:ANONYMOUS", 1, 5),
        ("tool", topic, "User:ANONYMOUS", 1, 7),
    ]
