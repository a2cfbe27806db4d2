from __future__ import annotations

from kwitness.jobs.frame.offsets import (
    DataLoss,
    TopicPartition,
    behind,
    from_json,
    furthest,
    moved_into,
    planned_losses,
    restart_losses,
    to_json,
)

ZERO = TopicPartition("t", 0)
ONE = TopicPartition("t", 1)


def test_nothing_is_lost_while_the_log_begins_before_the_batch() -> None:
    assert planned_losses({ZERO: 5}, {ZERO: 9}, {ZERO: 5}) == ()


def test_expired_records_are_named_with_both_ends() -> None:
    assert planned_losses({ZERO: 5}, {ZERO: 9}, {ZERO: 7}) == (DataLoss("t", 0, 5, 6, "Expired"),)


def test_no_more_is_lost_than_the_batch_would_have_read() -> None:
    assert planned_losses({ZERO: 5}, {ZERO: 9}, {ZERO: 100}) == (DataLoss("t", 0, 5, 8, "Expired"),)


def test_a_new_partition_is_read_from_its_first_record() -> None:
    assert planned_losses({}, {ONE: 4}, {ONE: 2}) == (DataLoss("t", 1, 0, 1, "Expired"),)


def test_a_topic_made_anew_is_noticed() -> None:
    assert planned_losses({ZERO: 50}, {ZERO: 3}, {ZERO: 0}) == (DataLoss("t", 0, 0, 2, "TopicRecreated"),)


def test_a_lost_checkpoint_loses_what_expired_since_the_table_was_written() -> None:
    lost = restart_losses({ZERO: 10, ONE: 10}, {ZERO: 12, ONE: 10})

    assert lost == (DataLoss("t", 0, 10, 11, "CheckpointLost"),)


def test_a_topic_that_began_late_was_never_promised() -> None:
    assert restart_losses({}, {ZERO: 12}) == ()


def test_retention_that_moves_into_a_batch_makes_it_be_read_again() -> None:
    start, end = {ZERO: 5}, {ZERO: 9}

    assert moved_into(start, end, {ZERO: 0}, {ZERO: 6})
    assert moved_into(start, end, {ZERO: 6}, {ZERO: 8})
    assert not moved_into(start, end, {ZERO: 6}, {ZERO: 6})
    assert not moved_into(start, end, {ZERO: 0}, {ZERO: 5})
    assert not moved_into(start, end, {ZERO: 9}, {ZERO: 12}), "all was gone before it began"


def test_lag_counts_what_can_still_be_read() -> None:
    assert behind({ZERO: 5}, {ZERO: 9, ONE: 4}, {ZERO: 7, ONE: 1}) == {ZERO: 2, ONE: 3}
    assert behind({ZERO: 9}, {ZERO: 9}, {ZERO: 0}) == {}


def test_positions_are_written_as_spark_writes_them() -> None:
    positions = {ZERO: 5, ONE: 7, TopicPartition("s", 0): 1}

    assert from_json(to_json(positions)) == positions
    assert from_json('{"t":{"0":5,"1":7},"s":{"0":1}}') == positions


def test_the_furthest_of_two_tables_counts() -> None:
    assert furthest({ZERO: 5}, {ZERO: 7, ONE: 1}, {}) == {ZERO: 7, ONE: 1}
