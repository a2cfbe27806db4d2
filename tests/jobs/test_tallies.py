"""How facts are counted once, and what they add up to."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.jobs.frame.facts import marked, unique
from kwitness.jobs.frame.tallies import Tally
from kwitness.jobs.frame.windows import window_start

_COUNTS = "map<string,bigint>"


def test_maps_add_up_entry_by_entry_in_the_order_of_their_keys(spark: SparkSession) -> None:
    most = 2**63 - 1
    parts = [
        ("a", 1, 1, {"9": 1, "10": 2}, {"6": most, "7": None}, "one"),
        ("a", None, 5, {"10": 3}, {"6": 1}, "two"),
        ("a", 2, 3, {}, {"6": 1, "5": most}, "one"),
        ("b", most, None, None, None, None),
        ("b", 1, None, {}, {}, None),
        (None, None, None, {"1": 1}, None, "one"),
    ]
    frame = spark.createDataFrame(
        parts, f"key string, sum bigint, most bigint, buckets {_COUNTS}, codes {_COUNTS}, source string"
    )
    # As a record of Kafka can have it.
    twice = F.from_json(F.lit('{"1": 5, "1": 7}'), _COUNTS)
    frame = frame.withColumn("buckets", F.when(F.col("key").isNull(), twice).otherwise(F.col("buckets")))
    tally = Tally(keys=("key",), sums=("sum",), greatest=("most",), maps={"buckets": True, "codes": False})

    rows = {row["key"]: row for row in tally.added(frame, {"sources": "source"}).collect()}

    assert [rows["a"][name] for name in ("sum", "most", "sources")] == [3, 5, 2]
    assert list(rows["a"]["buckets"].items()) == [(9, 1), (10, 5)]
    assert list(rows["a"]["codes"].items()) == [("5", most), ("6", None), ("7", None)], "null is beyond 64 bits"
    assert [rows["b"][name] for name in ("sum", "most", "buckets", "codes", "sources")] == [None, None, {}, {}, 0]
    assert rows[None]["buckets"] == {1: 5}, "of a key that is there twice the first counts"


def test_facts_that_are_there_twice_are_counted_and_the_first_by_place_stays(spark: SparkSession) -> None:
    places = [("t", partition, offset) for partition in (0, 1) for offset in range(3)]
    numbers = [("a", 1, 1), ("a", 1, 2), ("a", 1, 2), ("a", 1, 1), ("b", 1, 1), ("a", 2, 1)]
    rows = [(*place, *number, 0, "api") for place, number in zip(places, numbers, strict=True)]
    rows += [("t", 2, offset, "a", 1, 1, 0, "seal") for offset in (0, 1)]
    rows += [("t", 2, 2, "a", 1, 1, 10_000, "api")]
    # A topic that was recreated has another fact at a place, and the same one at its own.
    rows += [("t", 0, 1, "c", 1, 1, 0, "api"), rows[0]]
    facts = _facts(spark, rows)

    left_out = marked(facts, _start()).where("_repeats").drop("_start", "_repeats").collect()

    wanted = [rows[at] for at in (0, 2, 3, 7)]
    assert sorted(map(tuple, left_out)) == sorted(wanted)
    kept = [tuple(row) for row in unique(facts, _start()).collect()]
    assert sorted([*kept, *wanted]) == sorted(rows)


def _start() -> Column:
    return window_start(F.col("window_start_ms"), 10)


def _facts(spark: SparkSession, rows: list[tuple[object, ...]]) -> DataFrame:
    return spark.createDataFrame(
        rows,
        "kafka_topic string, kafka_partition int, kafka_offset bigint, event_source string, event_epoch bigint, "
        "event_seq bigint, window_start_ms bigint, kind string",
    )
