"""What a client did in one window, as the members of JSON objects; put together as text, for millions of them.

Each function returns what follows the numbers and the identity. Keys and their order are the observer's.
"""

from __future__ import annotations

import random

from .clients import Client, Topic
from .logs import Logs

__all__ = [
    "SKETCHED",
    "api_rows",
    "connection_row",
    "exchange_rows",
    "interception_row",
    "overflowed_row",
    "partition_rows",
    "presence_rows",
    "seal_row",
]

SKETCHED = ((191, 505), (253, 1_700), (267, 2_235), (305, 4_752), (359, 13_900), (437, 66_000), (543, 555_000))
"""Times in microseconds, each after the number of its bucket."""
_SERVED, _WAITED = SKETCHED[:-1], SKETCHED[-1]
_SLOWEST_US = max(time_us for _, time_us in _SERVED)
_NOTHING = '{"buckets":{},"sum_us":0}'
_IDLE, _FAILED, _SENT_AGAIN, _UNNAMED = 0.1, 0.01, 0.005, 0.02
_MOST_REQUESTS, _MOST_RECORDS = 12, 40
_MS_OF_RECORD = 40
_VERSIONS = {"Produce": 12, "EndTxn": 5, "Fetch": 17, "Heartbeat": 4, "OffsetCommit": 9, "Metadata": 13}
_OLD_VERSIONS = {"Produce": 2, "EndTxn": 0, "Fetch": 3, "Heartbeat": 0, "OffsetCommit": 1, "Metadata": 1}


def partition_rows(client: Client, logs: Logs, window: tuple[int, int], dice: random.Random) -> list[str]:
    """One row for each partition that the client wrote to or read from."""
    return _produced(client, logs, window, dice) if client.group is None else _fetched(client, logs, window, dice)


def _produced(client: Client, logs: Logs, window: tuple[int, int], dice: random.Random) -> list[str]:
    chance = dice.random
    rows = []
    for topic, partitions in client.uses:
        # Some producers name a topic by its id, and the observer does not know the name yet.
        named = topic.by_id_alone if chance() < _UNNAMED else topic.named
        for partition in partitions:
            if chance() < _IDLE:
                continue
            batches = 1 + int(chance() * _MOST_REQUESTS)
            records = batches * (1 + int(chance() * _MOST_RECORDS))
            if not client.acks:
                logs.append(topic.number, partition, records)
                rows.append(_counts("Produce", named, partition, batches, unconfirmed=records))
                continue
            first = logs.append(topic.number, partition, records)
            failed = 1 if chance() < _FAILED else 0
            rows.append(
                _counts(
                    "Produce",
                    named,
                    partition,
                    batches + failed,
                    batches=batches,
                    records=records,
                    size=records * client.record_bytes,
                    transactional=client.transactional,
                    sent_again=1 if chance() < _SENT_AGAIN else 0,
                    errors='{"6":1}' if failed else "{}",
                    rejected=client.record_bytes if failed else 0,
                    offsets=(first, first + records - 1),
                    times=_times(window, chance()),
                    codec=client.codec,
                )
            )
    return rows


def _fetched(client: Client, logs: Logs, window: tuple[int, int], dice: random.Random) -> list[str]:
    rows = []
    group = client.group or 0
    for topic, partitions in client.uses:
        for partition in partitions:
            if dice.random() < _IDLE:
                continue
            first, records = logs.read(group, topic.number, partition)
            if not records:
                continue
            batches = 1 + records // _MOST_RECORDS
            rows.append(
                _counts(
                    "Fetch",
                    topic.named,
                    partition,
                    batches,
                    batches=batches,
                    records=records,
                    size=records * client.record_bytes,
                    offsets=(first, first + records - 1),
                    lag=logs.lag(group, topic.number, partition),
                    times=_times((window[0] - (window[1] - window[0]), window[0]), dice.random()),
                    codec=client.codec,
                )
            )
    return rows


def _times(window: tuple[int, int], share: float) -> tuple[int, int]:
    start, end = window
    return start + int(share * (end - start) / 2), end - 1 - int(share * (end - start) / 2)


def _counts(
    api: str,
    named: str,
    partition: int,
    requests: int,
    *,
    batches: int = 0,
    records: int = 0,
    size: int = 0,
    transactional: bool = False,
    sent_again: int = 0,
    errors: str = "{}",
    rejected: int = 0,
    unconfirmed: int = 0,
    offsets: tuple[int, int] | None = None,
    lag: int | None = None,
    times: tuple[int, int] = (0, 0),
    codec: str = "none",
) -> str:
    in_transactions = f'{batches if transactional else 0},"transactional_records":{records if transactional else 0}'
    counted = (
        f'"kind":"partition","api":"{api}",{named}"partition":{partition},"overflowed":false,"requests":{requests},'
        f'"batches":{batches},"records":{records},"unknown_batches":0,"bytes":{size},'
        f'"transactional_batches":{in_transactions},"aborted_records":0,"duplicate_batches":{sent_again},'
        f'"errors":{errors},"rejected_bytes":{rejected},"unconfirmed":{unconfirmed},'
    )
    if offsets is None:
        return f'{counted}"offset_ranges":[],"offset_ranges_merged":0,"compression":{{}}}}'
    first, last = offsets
    behind = "" if lag is None else f'"high_watermark":{last + 1 + lag},{_behind(lag)},'
    return (
        f'{counted}"first_offset":{first},"last_offset":{last},"offset_ranges":[{{"first":{first},"last":{last}}}],'
        f'"offset_ranges_merged":0,{behind}"min_timestamp_ms":{times[0]},"max_timestamp_ms":{times[1]},'
        f'"compression":{{"{codec}":{batches}}}}}'
    )


def _behind(lag: int) -> str:
    basis = "interpolated" if lag else "observed"
    return f'"fetch_lag":{lag},"fetch_lag_ms":{lag * _MS_OF_RECORD},"fetch_lag_basis":"{basis}","held_by_transaction":0'


def api_rows(client: Client, dice: random.Random) -> list[str]:
    """One row for each API that the client used."""
    versions = _OLD_VERSIONS if client.old else _VERSIONS
    if client.group is None:
        rows = [_api("Produce", versions["Produce"], dice, 8_000, 60)]
        if client.transactional:
            rows.append(_api("EndTxn", versions["EndTxn"], dice, 60, 20, transactions=True))
    else:
        rows = [
            _api("Fetch", versions["Fetch"], dice, 90, 30_000, waits=True),
            _api("Heartbeat", versions["Heartbeat"], dice, 70, 16),
            _api("OffsetCommit", versions["OffsetCommit"], dice, 120, 40),
        ]
    if dice.random() < _IDLE:
        rows.append(_api("Metadata", versions["Metadata"], dice, 60, 900))
    return rows


def _api(
    name: str,
    version: int,
    dice: random.Random,
    asked: int,
    answered: int,
    *,
    waits: bool = False,
    transactions: bool = False,
) -> str:
    requests = 1 + int(dice.random() * _MOST_REQUESTS)
    bucket, time_us = _SERVED[int(dice.random() * len(_SERVED))]
    waited = requests // 2 if waits else 0
    served = requests - waited
    aborted = 1 if transactions and dice.random() < _FAILED else 0
    ends = f'"committed_transactions":{requests - aborted},' if transactions else ""
    ends += f'"aborted_transactions":{aborted},' if aborted else ""
    ends += f'"acks":{{"all":{requests}}},"idempotent_requests":{requests},' if name == "Produce" else ""
    ends += f'"empty_responses":{waited},"longest_gap_us":{time_us},' if waits else ""
    # The slowest answers are those that a quota throttles.
    ends += (
        f'"throttled_responses":{served},"throttle_ms":{served * time_us // 1_000},' if time_us == _SLOWEST_US else ""
    )
    return (
        f'"kind":"api","api":"{name}","api_version":{version},"overflowed":false,"requests":{requests},'
        f'"request_bytes":{requests * asked},"response_bytes":{requests * answered},"errors":{{}},"unread":{{}},{ends}'
        f'"response_time":{{"buckets":{{"{bucket}":{served}}},"sum_us":{served * time_us}}},"waited":'
        + (f'{{"buckets":{{"{_WAITED[0]}":{waited}}},"sum_us":{waited * _WAITED[1]}}}}}' if waited else f"{_NOTHING}}}")
    )


def exchange_rows(client: Client, connection: str, at_ms: int, number: int, dice: random.Random) -> list[str]:
    """A request of the client and its answer, the number-th of its connection."""
    produces = client.group is None
    key, api, version = (0, "Produce", 12) if produces else (1, "Fetch", 17)
    topic = client.uses[int(dice.random() * len(client.uses))][0]
    _, took_us = _SERVED[int(dice.random() * len(_SERVED))]
    about = f'"api_key":{key},"api":"{api}","api_version":{version},"correlation_id":{number % 2**31},'
    name = topic.named.partition(",")[0].partition(":")[2]
    travelled = f'[{{"topic":{name},"partition":0,"bytes":{client.record_bytes},"records":1}}]'
    sent, got = (travelled, "[]") if produces else ("[]", travelled)
    failed = '{"6":1}' if dice.random() < _FAILED else "{}"
    request = (
        f'"kind":"request","connection_id":"{connection}","connection_seq":{2 * number},"occurred_at_ms":{at_ms},'
        f'{about}"size_bytes":{client.record_bytes + 60},"topics":[{name}],"partitions":{sent},"truncated":false}}'
    )
    response = (
        f'"kind":"response","connection_id":"{connection}","connection_seq":{2 * number + 1},'
        f'"occurred_at_ms":{at_ms + took_us // 1000},{about}"size_bytes":90,"topics":[{name}],"errors":{failed},'
        f'"response_time_us":{took_us},"partitions":{got},"truncated":false}}'
    )
    return [request, response]


def interception_row(topic: Topic, records: int, *, is_behind: bool, dice: random.Random) -> str:
    """What interceptors of a consumer counted of one topic; one whose clock is behind has negative latencies."""
    bucket, time_us = SKETCHED[int(dice.random() * len(SKETCHED))]
    negative = records // 8 if is_behind else 0
    measured = records - negative
    name = topic.named.partition(",")[0]
    anomalies = f'{{"negative_latency":{negative}}}' if negative else "{}"
    return (
        f'"kind":"topic",{name},"overflowed":false,"internal":false,"consumed":{records},'
        f'"end_to_end_latency":{{"buckets":{{"{bucket}":{measured}}},"sum_us":{measured * time_us}}},'
        f'"anomalies":{anomalies}}}'
    )


def presence_rows(client: Client, logs: Logs) -> list[str]:
    """One row for each topic that a consumer asks for, whether or not records came."""
    if client.group is None:
        return []
    found = []
    for topic, partitions in client.uses:
        if partitions:
            lag = max(logs.lag(client.group, topic.number, partition) for partition in partitions)
            found.append(_presence(topic, len(partitions), lag))
    return found


def _presence(topic: Topic, partitions: int, lag: int) -> str:
    return (
        f'"kind":"presence","api":"Fetch",{topic.named}"overflowed":false,"partitions":{partitions},{_behind(lag)},'
        f'"fetch_lag_partitions":{partitions}}}'
    )


def overflowed_row(dice: random.Random) -> str:
    """A row that sums up clients which were too many: without client, topic and partition."""
    records = 1 + int(dice.random() * _MOST_RECORDS)
    return (
        f'"kind":"partition","api":"Produce","overflowed":true,"requests":1,"batches":1,"records":{records},'
        f'"unknown_batches":0,"bytes":{records * 100},"transactional_batches":0,"transactional_records":0,'
        '"aborted_records":0,"duplicate_batches":0,"errors":{},"rejected_bytes":0,"unconfirmed":0,"compression":{"none":1}}'
    )


def connection_row(kind: str, connection: str, occurred_at_ms: int, duration_ms: int | None = None) -> str:
    """`opened`, or `closed` with how long it was open."""
    end = "" if duration_ms is None else f',"duration_ms":{duration_ms},"end":"client"'
    return (
        f'"kind":"{kind}","connection_id":"{connection}","occurred_at_ms":{occurred_at_ms},'
        f'"security_protocol":"PLAINTEXT"{end}}}'
    )


def seal_row(topic: str, first: int, last: int, count: int, dropped: int) -> str:
    """The numbers of one topic's records in a window."""
    why = f'{{"queue_full":{dropped}}}' if dropped else "{}"
    return f'"topic":"{topic}","first_seq":{first},"last_seq":{last},"count":{count},"dropped":{why}}}'
