"""The scope of a service account is that of its entries in spec.ingest.readers, which add up."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.collector.failures import ForbiddenError
from kwitness.collector.ingest.authentication import READERS, Authenticator, Caller
from kwitness.collector.ingest.token_review import User
from kwitness.contracts.collector_config import CollectorConfig

SHOP, BANK = {"namespaces": ["shop"]}, {"owners": ["Bank"]}


class Review:
    """Answers that every token is of one account."""

    async def user(self, *_question: str) -> User | None:
        return User("system:serviceaccount:shop:reader")


async def caller_of(*readers: dict[str, Any]) -> Caller:
    config = {
        "cluster_id": "c",
        "namespace": "kwitness",
        "name": "main",
        "kafka": {"bootstrap_servers": ["kafka:9092"]},
        "ingest": {"readers": [{"namespace": "shop", "service_account": "reader", **entry} for entry in readers]},
    }
    return await Authenticator(CollectorConfig.model_validate(config), Review()).caller("Bearer x", (READERS,))


async def test_a_reader_has_the_scope_of_its_entry() -> None:
    caller = await caller_of({"scope": SHOP}, {"service_account": "other", "scope": BANK}, {"namespace": "bank"})

    assert caller.kind == "reader"
    assert caller.scope is not None
    assert (caller.scope.namespaces, caller.scope.owners) == (("shop",), ())


async def test_scopes_of_two_entries_add_up_and_an_entry_without_one_permits_all() -> None:
    both = await caller_of({"scope": SHOP}, {"scope": BANK})
    everything = await caller_of({"scope": SHOP}, {})

    assert both.scope is not None
    assert (both.scope.namespaces, both.scope.owners) == (("shop",), ("Bank",))
    assert everything.scope is None


async def test_an_empty_scope_is_no_permission_for_all() -> None:
    assert (await caller_of({"scope": {}})).scope is not None


async def test_an_account_without_an_entry_is_no_reader() -> None:
    with pytest.raises(ForbiddenError, match=r"spec\.ingest\.readers"):
        await caller_of({"service_account": "other"})
