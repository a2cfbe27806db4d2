"""Whatever order events come in, those of one connection are handed on in theirs."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from kwitness.observer.ordering import Arrival, Ordering

from tests.observer_host.event_lines import event


def arrival(number: int, connection: str = "c1", *, partition: int = 0, offset: int = 0, size: int = 1) -> Arrival:
    return Arrival(event(number, connection=connection), partition, offset, size)


def numbers(arrivals: Iterable[Arrival]) -> list[int]:
    return [one.event.connection_seq for one in arrivals]


def test_what_comes_in_order_is_not_held_back() -> None:
    ordering = Ordering()

    assert [numbers(ordering.take(arrival(number), 0)) for number in range(3)] == [[0], [1], [2]]
    assert (ordering.waiting, ordering.missing, ordering.repeated) == (0, 0, 0)


@given(st.permutations(range(8)))
def test_any_order_within_the_window_is_restored(order: list[int]) -> None:
    ordering = Ordering()

    handed_on = [number for one in order for number in numbers(ordering.take(arrival(one), 0))]

    assert handed_on == list(range(8))
    assert (ordering.waiting, ordering.missing, ordering.repeated) == (0, 0, 0)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 12)), max_size=60))
def test_whatever_comes_each_connection_only_goes_on_and_every_event_is_accounted_for(
    arrivals: list[tuple[str, int]],
) -> None:
    ordering = Ordering(most_events=4)
    seen: dict[str, list[int]] = {"a": [], "b": []}

    released = [one for name, number in arrivals for one in ordering.take(arrival(number, name), 0)]
    for one in [*released, *ordering.drain()]:
        seen[one.event.connection_id].append(one.event.connection_seq)

    assert all(told == sorted(set(told)) for told in seen.values())
    assert sum(map(len, seen.values())) + ordering.repeated == len(arrivals)
    assert ordering.waiting == 0
    assert ordering.floors() == {}


def test_an_event_that_comes_again_is_counted_and_not_handed_on() -> None:
    ordering = Ordering()
    for number in (0, 1, 3):
        ordering.take(arrival(number), 0)

    assert [ordering.take(arrival(number), 0) for number in (1, 3)] == [[], []]
    assert ordering.repeated == 2


def test_after_thirty_seconds_a_gap_is_given_up_and_counted() -> None:
    ordering = Ordering()
    ordering.take(arrival(0), 0.0)
    ordering.take(arrival(3), 1.0)
    ordering.take(arrival(4), 20.0)

    assert numbers(ordering.expire(30.9)) == []
    assert numbers(ordering.expire(31.0)) == [3, 4]
    assert ordering.missing == 2
    assert ordering.take(arrival(2), 32.0) == []
    assert ordering.repeated == 1


def test_one_event_too_many_ends_the_longest_wait() -> None:
    ordering = Ordering(most_events=2)
    ordering.take(arrival(5, "old"), 0)
    ordering.take(arrival(7, "young"), 0)

    assert numbers(ordering.take(arrival(8, "young"), 0)) == [5]
    assert ordering.waiting == 2


def test_so_do_bytes() -> None:
    ordering = Ordering(most_bytes=100)
    ordering.take(arrival(5, size=90), 0)

    assert numbers(ordering.take(arrival(6, "young", size=11), 0)) == [5]


def test_a_connection_met_in_its_middle_has_no_gap_before_it() -> None:
    ordering = Ordering()
    ordering.take(arrival(41), 0)
    ordering.take(arrival(40), 0)

    assert numbers(ordering.expire(30)) == [40, 41]
    assert ordering.missing == 0


def test_the_same_connection_number_of_another_observer_is_another_connection() -> None:
    ordering = Ordering()
    other = Arrival(event(0).model_copy(update={"event_source": "kwitness-system/gateway-1"}))

    assert numbers(ordering.take(arrival(0), 0)) == [0]
    assert numbers(ordering.take(other, 0)) == [0]


def test_the_connection_unheard_of_for_longest_is_forgotten_first_and_what_it_held_is_handed_on() -> None:
    ordering = Ordering(most_connections=2)
    ordering.take(arrival(0, "a"), 0)
    ordering.take(arrival(2, "a"), 0)
    ordering.take(arrival(0, "b"), 0)

    assert numbers(ordering.take(arrival(0, "c"), 0)) == [2, 0]
    assert ordering.missing == 1


def test_what_is_held_back_is_where_another_host_would_go_on() -> None:
    ordering = Ordering()
    ordering.take(arrival(3, "a", partition=1, offset=70), 0)
    ordering.take(arrival(2, "a", partition=1, offset=71), 0)
    ordering.take(arrival(9, "b", partition=2, offset=12), 0)

    assert ordering.floors() == {1: 70, 2: 12}
    ordering.forget(1)
    assert ordering.floors() == {2: 12}
    assert numbers(ordering.drain()) == [9]
