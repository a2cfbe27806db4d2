"""The guide's classes and their test do what the guide says; the broker is librdkafka's mock cluster."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import confluent_kafka
import pytest

from kwitness.contracts.resources.interceptor_entries import InterceptorEntry
from kwitness.sandbox.waiting import run_to_end
from kwitness_interceptors import testing, wrap

from .confluent_samples import MOCK, mock_bootstrap, read_all, topic_name
from tests.eventually import deliver

GUIDES = Path(__file__).resolve().parents[2] / "docs/guides"
GUIDE = (GUIDES / "interceptors.md").read_text()
SOURCE, TEST, ASKING = re.findall(r"^```python\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the guide's classes and its test, and with secrets; its package is forgotten afterwards."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/secrets.py").write_text(SOURCE)
    (tmp_path / "test_secrets.py").write_text(TEST)
    (tmp_path / "secrets").write_bytes(bytes(range(64)))
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("shop", "shop.secrets"):
        sys.modules.pop(name, None)


def asked_for(secrets: Path) -> Any:
    """The guide's producer, at a mock cluster and with these secrets."""
    names: dict[str, Any] = {}
    program = ASKING.replace('"bootstrap.servers": "kafka:9092"', "**MOCK").replace("/etc/shop/secrets", str(secrets))
    exec(program, {"MOCK": MOCK}, names)  # noqa: S102 - the guide's own lines
    return names["producer"]


def test_what_one_class_encrypts_the_other_decrypts(shop: Path) -> None:
    topic, producer = topic_name(), asked_for(shop / "secrets")
    for value in (b"first", b"second"):
        producer.produce(topic, value, key=b"anna")
    producer.produce(topic, None, key=b"anna")
    deliver(producer)
    stored = read_all(mock_bootstrap(producer), topic, 3)
    config = {
        "bootstrap.servers": mock_bootstrap(producer),
        "group.id": topic,
        "interceptor.classes": "shop.secrets.Decrypt",
        "kwitness.shop.secrets": str(shop / "secrets"),
    }
    with closing(wrap(confluent_kafka.Consumer)(config)) as consumer:
        consumer.assign([confluent_kafka.TopicPartition(topic, stored[0].partition(), 0)])
        got = [consumer.poll(10) for _ in range(3)]

    assert len({(one.key(), one.partition()) for one in stored}) == 1
    assert stored[0].key() != b"anna"
    assert b"first" not in stored[0].value()
    assert stored[2].value() is None
    assert [(one.key(), one.value(), one.headers() or []) for one in got] == [
        (b"anna", b"first", []),
        (b"anna", b"second", []),
        (b"anna", None, []),
    ]


def test_without_secrets_nothing_goes_out_and_the_application_is_told(shop: Path) -> None:
    producer = asked_for(shop / "none")

    with pytest.raises(TypeError):
        producer.produce(topic_name(), b"clear", key=b"anna")

    assert len(producer) == 0


@pytest.mark.slow
def test_its_test_passes(shop: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_secrets.py"]
    done = run_to_end(command, cwd=shop)

    assert done.returncode == 0, done.stdout


def test_it_names_every_function_of_the_test_kit() -> None:
    part = GUIDE.partition("## Test it\n")[2].partition("\n## ")[0]

    assert {name for name in testing.__all__ if f"`{name}" in part} == set(testing.__all__)


def test_the_page_of_clients_has_a_row_for_every_type_of_interceptor() -> None:
    types = get_args(InterceptorEntry.model_fields["type"].annotation)
    page = (GUIDES / "interceptor-clients.md").read_text()

    assert "Audit" in types
    assert [one for one in types if f"| `{one}`" not in page] == []
