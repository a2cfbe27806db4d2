"""Rows and totals of interceptors have identities as the profile says, by the hash that the collector has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kwitness.collector.privacy.identities import IdentityTreater
from kwitness_interceptors.header_rules import parse_header_rules
from kwitness_interceptors.measures.client_counts import ClientCounts
from kwitness_interceptors.measures.header_interceptors import ProducerHeaders
from kwitness_interceptors.measures.header_judge import HeaderJudge
from kwitness_interceptors.profile import CONSUMER, PRODUCER
from kwitness_interceptors.records import Header, ProducerRecord
from kwitness_interceptors.reporting.client_window import ClientWindow
from kwitness_interceptors.reporting.header_rows import header_rows
from kwitness_interceptors.reporting.identity_policy import IdentityPolicy, identity_hash
from kwitness_interceptors.reporting.rows import rows, totals
from kwitness_interceptors.settings import IdentitySettings, parse_settings

from tests.vectors import vectors

KEY = b"a key of sixteen"
SETTINGS = parse_settings(json.dumps(vectors("interceptor_settings", "valid")[1]["settings"]))


def test_hashes_are_those_of_the_vectors() -> None:
    for example in vectors("identity_hashes", "hashes"):
        assert identity_hash(example["key"].encode(), example["field"], example["value"]) == example["hash"]
    for hashed in vectors("identity_hashes", "stays"):
        assert identity_hash(KEY, "client_id", hashed) == hashed


def test_a_client_has_the_same_text_in_telemetry_and_at_an_interceptor(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY + b"\n")
    policy = IdentityPolicy(IdentitySettings(hash=frozenset({"client_id"}), key_file=str(tmp_path / "key")))
    collector = IdentityTreater({"client_id": "hash"}, KEY)

    reported = policy.value("client_id", "orders")

    assert reported == collector.value("client_id", "orders") != "orders"
    assert collector.value("client_id", str(reported)) == reported


def written(policy: IdentityPolicy) -> str:
    """Return everything that is made of a producer and a consumer with canaries."""
    rules, made = HeaderJudge(parse_header_rules(None)), list[Any]()
    for side in (PRODUCER, CONSUMER):
        counts = ClientCounts(
            1, side, "canary-client", "canary-group", window_ms=1 << 50, most_topics=8, most_partitions=8
        )
        counts.topic("orders", 0).sent += 1
        ProducerHeaders(lambda: rules, counts, lambda _: True).on_send(
            ProducerRecord("orders", b"v", headers=(Header("a", b"b"),))
        )
        counts.closed = True
        windows = [ClientWindow.from_counts(counts, window, policy) for window in counts.finished(0, {})]
        for window in windows:
            made += [*rows(window, "0/1", SETTINGS), *header_rows(window, "0/1", SETTINGS)]
        made.append(totals(windows))
    assert len(made) > 4
    return json.dumps(made)


def test_rows_and_totals_have_hashes_in_place_of_values(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY)
    keys = frozenset({"client_id", "group_id"})
    policy = IdentityPolicy(IdentitySettings(hash=keys, key_file=str(tmp_path / "key")))

    text = written(policy)

    assert "canary" not in text
    assert KEY.decode() not in text
    assert text.count(identity_hash(KEY, "client_id", "canary-client")) > 4
    assert identity_hash(KEY, "group_id", "canary-group") in text
    assert not policy.lacks_key


def test_without_a_key_and_with_drop_there_are_neither_values_nor_hashes(tmp_path: Path) -> None:
    keys = frozenset({"client_id", "group_id"})
    (tmp_path / "short").write_bytes(b"fifteen letters\n")
    without = [IdentityPolicy(IdentitySettings(hash=keys, key_file=str(tmp_path / name))) for name in ("none", "short")]

    texts = [written(policy) for policy in [*without, IdentityPolicy(IdentitySettings(drop=keys))]]

    assert all("canary" not in text and "hash-" not in text for text in texts)
    assert [policy.lacks_key for policy in without] == [True, True]
    assert "canary" in written(IdentityPolicy(None))
