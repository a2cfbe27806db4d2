from __future__ import annotations

from kwitness.jobs.frame.offsets import (
    DataLoss,
    TopicPartition,
    behind,
    distinct,
    from_json,
    furthest,
    moved_into,
    never_written,
    planned_losses,
    reached,
    recreated,
    restart_losses,
    resumed,
    to_json,
    within,
)

ZERO = TopicPartition("t", 0)
ONE = TopicPartition("t", 1)


def test_nothing_is_lost_while_the_log_begins_before_the_batch() -> None:
    assert planned_losses({ZERO: 5}, {ZERO: 9}, {ZERO: 5}) == ()


def test_a_topic_is_never_written_while_each_partition_ends_where_it_began() -> None:
    other = TopicPartition("other", 0)

    assert never_written({ZERO: 0, ONE: 3, other: 0}) == {"other"}
    assert never_written({}) == set()


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


def test_a_batch_begins_after_what_the_table_has() -> None:
    assert resumed({ZERO: 0}, {ZERO: 9}, {}) == {ZERO: 0}
    assert resumed({ZERO: 0}, {ZERO: 9}, {ZERO: 4}) == {ZERO: 4}
    assert resumed({ZERO: 5}, {ZERO: 9}, {ZERO: 4}) == {ZERO: 5}
    assert resumed({ZERO: 0}, {ZERO: 9}, {ZERO: 50}) == {ZERO: 9}, "none of it is left"
    assert resumed({}, {ZERO: 9, ONE: 2}, {ONE: 1}) == {ZERO: 0, ONE: 1}, "partitions that are new begin at 0"


def test_a_batch_of_a_recreated_topic_begins_where_it_was_planned() -> None:
    assert resumed({ZERO: 50}, {ZERO: 3}, {ZERO: 50}) == {ZERO: 50}
    assert recreated({ZERO: 50}, {ZERO: 3})
    assert not recreated({ZERO: 3}, {ZERO: 3, ONE: 7})


def test_a_batch_that_the_table_has_takes_nothing_back() -> None:
    assert reached({ZERO: 0}, {ZERO: 5}, {ZERO: 12}) == {ZERO: 12}
    assert reached({ZERO: 0, ONE: 0}, {ZERO: 5, ONE: 5}, {ZERO: 12}) == {ZERO: 12, ONE: 5}
    assert reached({ZERO: 5}, {ZERO: 20}, {ZERO: 12}) == {ZERO: 20}


def test_a_recreated_topic_is_where_its_batch_ends() -> None:
    assert reached({ZERO: 50, ONE: 1}, {ZERO: 3, ONE: 2}, {ZERO: 50, ONE: 1}) == {ZERO: 3, ONE: 2}
    assert reached({ZERO: 50}, {ONE: 2}, {ZERO: 50}) == {ONE: 2}, "a topic that is gone comes back as another one"


def test_positions_beyond_the_end_of_a_log_are_of_another_topic() -> None:
    assert within({ZERO: 5, ONE: 9}, {ZERO: 5, ONE: 3}) == {ZERO: 5}
    assert within({ZERO: 5}, {}) == {}


def test_what_a_batch_done_again_finds_expired_is_told_once() -> None:
    first, again = DataLoss("t", 0, 5, 6, "Expired"), DataLoss("t", 0, 5, 8, "Expired")
    others = [DataLoss("t", 0, 0, last, "TopicRecreated") for last in (2, 3)]

    assert distinct([again, *others, first]) == [*others, again]
