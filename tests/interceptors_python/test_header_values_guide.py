"""The guide's programs write and read what the guide says, by constants of its register."""

from __future__ import annotations

import re
import shlex
import sys
import types
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest
import yaml
from kafka.record.default_records import DefaultRecordBatchBuilder

from kwitness.cli.__main__ import main
from kwitness.contracts.resources.header_registry import HeaderRegistry
from kwitness_interceptors import ConsumerInterceptor, ConsumerRecord
from kwitness_interceptors.headers import (
    STRING,
    TYPES,
    HeaderKey,
    HeaderReader,
    HeaderWriter,
    WrappedValues,
    encode_set,
)
from kwitness_interceptors.testing import consumed

from .confluent_samples import MOCK, mock_bootstrap, read_all, topic_name
from tests.eventually import deliver

GUIDE = (Path(__file__).resolve().parents[2] / "docs/guides/header-values.md").read_text()
(REGISTER,) = re.findall(r"^```yaml\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
PROGRAM, CODEC, WRAPPED = re.findall(r"^```python\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^    (kwitness .*)$", GUIDE, re.MULTILINE)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the constants of the guide's register, made as the guide says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.yaml").write_text(REGISTER)
    assert [main(shlex.split(command)[1:]) for command in COMMANDS] == [0, 0]
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "shop_headers", raising=False)
    return tmp_path


def names_of(program: str) -> Any:
    module = types.ModuleType("program")
    exec(program, module.__dict__)  # noqa: S102 - the guide's own lines
    return module


def test_its_register_is_one() -> None:
    assert len(HeaderRegistry.model_validate(yaml.safe_load(REGISTER)).spec.keys) == 4


@pytest.mark.usefixtures("shop")
def test_what_its_program_sends_it_shows() -> None:
    program, order, topic = names_of(PROGRAM.replace('"orders"', "TOPIC")), uuid.uuid4(), topic_name()
    program.TOPIC = topic
    producer = confluent_kafka.Producer(MOCK)
    program.send(producer, order, b"value")
    producer.produce(topic, b"without")
    deliver(producer)

    shown = {one.value(): program.show(one) for one in read_all(mock_bootstrap(producer), topic, 2)}
    assert shown[b"value"][:2] == ("checkout", order)
    assert shown[b"without"] == ("unknown", None, None)


@pytest.mark.usefixtures("shop")
def test_its_codec_writes_and_reads_prices() -> None:
    key = names_of(CODEC).TYPED_PRICE
    headers = HeaderWriter()
    headers.set(key, (Decimal("17.90"), "EUR"))

    assert HeaderReader(headers.headers).get(key) == (Decimal("17.9"), "EUR")
    assert headers.headers[0].key == "price"


def test_its_interceptor_unwraps_what_is_wrapped_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    program = names_of(WRAPPED)
    monkeypatch.setitem(sys.modules, "program", program)
    app = HeaderKey("app.name", STRING, 1_245_184)
    values = [WrappedValues(b"\x00H1").wrap({1_245_184: b"old"}, b"payload"), b"payload", None]
    records = [ConsumerRecord("orders", 0, place, value=value) for place, value in enumerate(values)]

    got = consumed("program.Unwrap", records)

    assert issubclass(program.Unwrap, ConsumerInterceptor)
    assert [one.value for one in got] == [b"payload", b"payload", None]
    assert [HeaderReader(one.headers).get(app) for one in got] == ["old", None, None]


def test_every_type_has_its_row() -> None:
    assert [name for name in TYPES if f"| `{name}` |" not in GUIDE] == []


def test_the_sizes_that_it_names_are_those_of_records() -> None:
    values = dict.fromkeys(range(5), b"")
    natively = size([(f"a.header.{number:03}", b"") for number in values])
    in_the_set = size([("kwitness.set", encode_set(values))])

    assert (natively - size([]), in_the_set - size([])) == (70, 54)
    assert "are 70 bytes on their own, and 54 in the set" in GUIDE


def size(headers: list[Any]) -> int:
    """Bytes of a batch with one record."""
    builder = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=0,
        is_transactional=False,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=10_000,
    )
    # The value is so large that the record's length takes the same bytes in each case.
    builder.append(0, timestamp=0, key=None, value=b"x" * 200, headers=headers)
    return len(builder.build())
