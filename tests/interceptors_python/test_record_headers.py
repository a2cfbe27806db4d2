"""Headers of a record by typed keys: set where it is produced, read and not changed where it is consumed."""

from __future__ import annotations

import uuid
from typing import Any

import confluent_kafka
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.record.default_records import DefaultRecordBatchBuilder

from kwitness_interceptors import ConsumerRecord, Header, ProducerInterceptor, ProducerRecord, wrap
from kwitness_interceptors.headers import (
    BYTES,
    SET_HEADER,
    STRING,
    TIMESTAMP,
    UUID,
    HeaderKey,
    HeaderReader,
    HeaderSetError,
    HeaderValueError,
    HeaderWriter,
    encode_set,
)

from .confluent_samples import MOCK, mock_bootstrap, read_all, topic_name
from tests.eventually import deliver

APP = HeaderKey("app.name", STRING, 1_245_184)
PLACED = HeaderKey("placed", TIMESTAMP, 1_245_185)
ORDER = HeaderKey("order.id", UUID)
COMPACT = pytest.mark.parametrize("compact", [False, True], ids=["own headers", "in the set"])


class Stamps(ProducerInterceptor):
    """Sets headers of each record but those of which the key is `plain`."""

    def __init__(self, *, compact: bool) -> None:
        self.compact = compact

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        writer = HeaderWriter(record.headers, compact=self.compact)
        if record.key != b"plain":
            writer.set(APP, "shop")
            writer.set(PLACED, 7)
        return record._replace(headers=tuple(writer.headers))


def produced(headers: list[Any]) -> bytes:
    """The batch as kafka-python sends it."""
    builder = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=0,
        is_transactional=False,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=10_000,
    )
    builder.append(0, timestamp=1_767_225_600_000, key=b"key", value=b"value", headers=headers)
    return bytes(builder.build())


@COMPACT
def test_what_a_producer_sets_a_consumer_gets(*, compact: bool) -> None:
    order = uuid.uuid4()
    writer = HeaderWriter(compact=compact)
    writer.set(PLACED, 7)
    writer.set(APP, "shop")
    writer.set(ORDER, order)
    writer.set(PLACED, 8)
    reader = HeaderReader(writer.headers)

    assert [reader.get(APP), reader.get(PLACED), reader.get(ORDER)] == ["shop", 8, order]
    assert [writer.get(APP), writer.get(PLACED), writer.get(ORDER)] == ["shop", 8, order]
    assert APP in writer
    assert len(writer.headers) == (2 if compact else 3)


@COMPACT
def test_without_headers_the_record_has_the_bytes_that_it_would_have_without_us(*, compact: bool) -> None:
    plain = produced([])
    untouched = HeaderWriter(None, compact=compact)
    untouched.remove(APP)
    emptied = HeaderWriter((), compact=compact)
    for key, value in ((APP, "shop"), (PLACED, 7)):
        emptied.set(key, value)
        emptied.remove(key)
    written = HeaderWriter(compact=compact)
    written.set(APP, "shop")

    assert produced(untouched.headers) == plain
    assert produced(emptied.headers) == plain
    assert produced(written.headers) != plain


@COMPACT
def test_headers_travel_through_librdkafka_and_nothing_does_where_there_are_none(*, compact: bool) -> None:
    topic = topic_name()
    producer = wrap(confluent_kafka.Producer)({**MOCK, "interceptor.classes": [Stamps(compact=compact)]})
    producer.produce(topic, b"value", key=b"stamped", partition=0)
    producer.produce(topic, b"value", key=b"plain", partition=0)
    producer.produce(topic, None, key=b"deleted", partition=0)
    deliver(producer)
    stamped, plain, deleted = read_all(mock_bootstrap(producer), topic, 3)

    assert [HeaderReader(one.headers()).get(PLACED) for one in (stamped, plain, deleted)] == [7, None, 7]
    assert {key for key, _ in stamped.headers()} == ({SET_HEADER} if compact else {APP.name, PLACED.name})
    assert plain.headers() is None
    assert deleted.value() is None


def test_a_consumers_headers_cannot_be_changed() -> None:
    raw = bytearray(b"shop")
    native: list[tuple[str, Any]] = [("app.name", raw)]
    record = ConsumerRecord("orders", 0, 7, headers=(Header("app.name", b"shop"),))
    reader = HeaderReader(native)
    raw[0] = ord("X")
    native.clear()

    assert reader.get(APP) == "shop"
    assert not hasattr(reader, "set")
    assert not hasattr(reader, "remove")
    assert isinstance(reader.headers, tuple)
    assert type(reader.get(HeaderKey("app.name", BYTES))) is bytes
    assert HeaderReader(record.headers).headers == record.headers
    for change in (lambda: setattr(reader, "_headers", ()), lambda: delattr(reader, "_headers")):
        with pytest.raises(AttributeError, match="cannot be changed: make a HeaderWriter"):
            change()


def test_a_key_has_one_value_wherever_it_was() -> None:
    native = [("app.name", b"old"), ("other", None), ("app.name", b"older")]
    compact = HeaderWriter(native, compact=True)
    compact.set(APP, "first")
    plain = HeaderWriter(compact.headers)
    plain.set(APP, "second")

    assert [one.key for one in compact.headers] == ["other", SET_HEADER]
    assert plain.headers == [("other", None), ("app.name", b"second")]


def test_absent_and_null_are_told_apart() -> None:
    for headers in (HeaderReader([("placed", None)]), HeaderWriter([("placed", None)])):
        assert headers.get(APP, "none") == "none"
        assert headers.get(PLACED, 7) is None
        assert PLACED in headers
        assert APP not in headers


def test_the_last_of_several_headers_counts() -> None:
    native = [("app.name", b"first"), ("app.name", b"last"), (SET_HEADER, encode_set({1_245_184: b"set"}))]

    assert HeaderReader(native).get(APP) == HeaderWriter(native).get(APP) == "last"


def test_a_value_of_another_type_is_refused_with_the_headers_name() -> None:
    for headers in (HeaderReader([("placed", b"today")]), HeaderWriter([("placed", b"today")])):
        with pytest.raises(HeaderValueError, match=r"^header placed \(1245185\): a value of 5 bytes is no Timestamp"):
            headers.get(PLACED)


def test_a_value_that_is_refused_leaves_all_as_it_was() -> None:
    writer = HeaderWriter([("placed", b"\0" * 8)])

    with pytest.raises(HeaderValueError, match="header placed"):
        writer.set(PLACED, 2**63)

    assert writer.headers == [("placed", b"\0" * 8)]


def test_a_set_that_is_none_is_read_as_far_as_it_has_to_be_and_never_written_over() -> None:
    native = [(SET_HEADER, encode_set({1_245_184: b"shop"}) + b"\0")]
    reader = HeaderReader(native)

    assert reader.get(APP) == "shop"
    with pytest.raises(HeaderSetError):
        reader.get(PLACED)
    with pytest.raises(HeaderSetError):
        HeaderWriter(native)


@pytest.mark.parametrize(("name", "number"), [("", None), ("a", -1), ("a", 2**31)])
def test_keys_that_no_register_has_are_refused(name: str, number: int | None) -> None:
    with pytest.raises(ValueError, match="give"):
        HeaderKey(name, STRING, number)


def test_keys_say_what_they_are_in_logs() -> None:
    assert str(APP) == "app.name (1245184)"
    assert str(ORDER) == "order.id"


NATIVE = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.none() | st.binary(max_size=4)), max_size=5)
KEYS = [HeaderKey("a", BYTES, 1), HeaderKey("b", BYTES, 2), HeaderKey("c", BYTES)]


@given(NATIVE, st.lists(st.tuples(st.sampled_from(KEYS), st.none() | st.binary(max_size=4), st.booleans()), max_size=8))
def test_readers_find_what_was_set_last_whoever_wrote_it(
    native: list[tuple[str, bytes | None]], changes: list[tuple[HeaderKey[bytes], bytes | None, bool]]
) -> None:
    headers: list[Any] = native
    expected = dict(native)
    for key, value, compact in changes:
        writer = HeaderWriter(headers, compact=compact)
        if value is None:
            writer.remove(key)
            expected.pop(key.name, None)
        else:
            writer.set(key, value)
            expected[key.name] = value
        headers = writer.headers
    reader = HeaderReader(headers)

    assert {key.name: reader.get(key) for key in KEYS if key in reader} == expected
    assert sum(one.key == SET_HEADER for one in reader.headers) <= 1
