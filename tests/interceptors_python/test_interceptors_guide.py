"""The guide's classes do what the guide says; the broker is librdkafka's mock cluster."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest

from kwitness_interceptors import wrap

from .confluent_samples import MOCK, mock_bootstrap, read_all, topic_name

GUIDE = (Path(__file__).resolve().parents[2] / "docs/guides/interceptors.md").read_text()


def test_what_one_class_encrypts_the_other_decrypts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, asking = re.findall(r"^```python\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/secrets.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    names: dict[str, Any] = {}
    exec(asking.replace('"bootstrap.servers": "kafka:9092"', "**MOCK"), {"MOCK": MOCK}, names)  # noqa: S102 - the guide's own lines
    topic, producer = topic_name(), names["producer"]
    producer.produce(topic, b"secret", partition=0)
    assert producer.flush(10) == 0
    (stored,) = read_all(mock_bootstrap(producer), topic, 1)
    config = {
        "bootstrap.servers": mock_bootstrap(producer),
        "group.id": topic,
        "interceptor.classes": "shop.secrets.Decrypt",
        "kwitness.shop.key": "a5",
    }
    with closing(wrap(confluent_kafka.Consumer)(config)) as consumer:
        consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
        message = consumer.poll(10)

    assert stored.value() != b"secret"
    assert message.value() == b"secret"
