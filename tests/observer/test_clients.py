"""Client libraries that others wrote go through the observer unchanged, and are counted as brokers and they count."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.observer.client_programs import EVERY_CLIENT, Client, Counts, counts
from tests.observer.conversations import API_VERSIONS, FETCH, FIND_COORDINATOR, METADATA, PRODUCE
from tests.observer.counted import assert_counted
from tests.observer.kafka_messages import KafkaMessages
from tests.observer.stand import Stand
from tests.soak import share

pytestmark = [pytest.mark.broker, pytest.mark.soak]

RECORDS = share(100)
AT_ONCE = 3


@pytest.fixture(scope="module")
def said(stand: Stand) -> Iterator[dict[Client, Future[Counts]]]:
    """What each client says of itself, while some run beside it."""
    with ThreadPoolExecutor(AT_ONCE) as pool:

        def run(client: Client) -> Counts:
            return counts(client.start(stand.bootstrap, client.name, RECORDS, client.ways))

        yield {client: pool.submit(run, client) for client in EVERY_CLIENT}


@pytest.mark.parametrize("client", EVERY_CLIENT, ids=lambda client: client.name)
def test_a_client_is_counted_by_what_it_did_and_known_by_what_it_says_of_itself(
    client: Client, stand: Stand, said: dict[Client, Future[Counts]]
) -> None:
    assert_counted(client, stand, RECORDS, said[client].result())


def test_clients_are_answered_byte_for_byte_what_brokers_answer_but_for_addresses(
    stand: Stand, said: dict[Client, Future[Counts]], messages: KafkaMessages
) -> None:
    for one in said.values():
        one.exception()

    compared = stand.compared(messages.read)

    assert {PRODUCE, FETCH, API_VERSIONS} <= set(compared.same)
    assert not {METADATA, FIND_COORDINATOR} & set(compared.same)
    assert compared.addresses == stand.addresses
    assert compared.real_addresses == stand.real_addresses
