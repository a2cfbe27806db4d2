"""Headers that a producer's interceptor `Headers` evaluated, and the rows of what it counted."""

from __future__ import annotations

import base64
import json
from typing import Any

from kwitness.contracts.records.headers import HeaderRow
from kwitness_interceptors.header_rules import parse_header_rules
from kwitness_interceptors.measures.client_counts import ClientCounts
from kwitness_interceptors.measures.header_interceptors import ProducerHeaders
from kwitness_interceptors.measures.header_judge import HeaderJudge
from kwitness_interceptors.profile import PRODUCER
from kwitness_interceptors.records import Header, ProducerRecord
from kwitness_interceptors.reporting.client_window import ClientWindow
from kwitness_interceptors.reporting.header_rows import header_rows
from kwitness_interceptors.reporting.identity_policy import IdentityPolicy
from kwitness_interceptors.settings import parse_settings

from tests.vectors import vectors

LEAST = vectors("interceptor_settings", "valid")[1]["settings"]
SETTINGS = parse_settings(json.dumps(LEAST))
WINDOW_MS = 1 << 50
"""Longer than the time since 1970, so that no window ends while a test counts."""


def counts(side: str = PRODUCER) -> ClientCounts:
    return ClientCounts(1, side, "c", None, window_ms=WINDOW_MS, most_topics=32, most_partitions=8)


def judge(rules: dict[str, Any] | None) -> HeaderJudge:
    return HeaderJudge(parse_header_rules(rules))


def headers_of(one: dict[str, Any]) -> tuple[Header, ...]:
    values = [(header["key"], header["value_base64"]) for header in one["headers"]]
    return tuple(Header(key, None if value is None else base64.b64decode(value)) for key, value in values)


def sent(rules: dict[str, Any] | None, *records: tuple[Header, ...], topic: str = "orders") -> tuple[Any, list[Any]]:
    """Return where records were counted, and the headers that they went with."""
    own = counts()
    interceptor = ProducerHeaders(lambda: made, own, lambda _: True)
    made = judge(rules)
    return own, [interceptor.on_send(ProducerRecord(topic, b"v", headers=one)).headers for one in records]


def rows(own: ClientCounts) -> list[HeaderRow]:
    """Rows of everything that was counted, each held against the contract."""
    own.closed = True
    written = [
        row
        for window in own.finished(0, {})
        for row in header_rows(ClientWindow.from_counts(own, window, IdentityPolicy(None)), "0" * 16 + "/1", SETTINGS)
    ]
    event = {"schema": "kwitness.headers/1", "event_source": "shop/orders-1/0", "event_epoch": 1, "event_seq": 1}
    return [HeaderRow.model_validate_json(json.dumps(event | row)) for row in written]
