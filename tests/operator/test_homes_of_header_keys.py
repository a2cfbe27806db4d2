"""Registers of different homes: neither takes a key from the other, and a number is handed out in one of them."""

from __future__ import annotations

import json
from dataclasses import replace

from kwitness.operator.kinds.header_registry.claims import Claim
from kwitness.operator.kinds.header_registry.homes import settle_homes
from kwitness.operator.model.header_ids import MOST_BYTES, header_ids_of, header_ids_text, keys_of
from kwitness.operator.model.store import Key

FIRST = 0x130000
PLATFORM, TENANT = Key("platform", "shared"), Key("tenant", "mine")


def claim(key: Key, *names: str, **numbers: int) -> Claim:
    return Claim(key, id_range="LocalApplication", keys={**dict.fromkeys(names), **numbers})


def test_a_key_of_one_home_is_free_in_another_and_has_a_number_of_its_own():
    tenant_first = settle_homes({}, {"tenant": [claim(TENANT, "traceparent")]}, ())
    result = settle_homes(
        tenant_first.homes, {"tenant": [claim(TENANT, "traceparent")], "platform": [claim(PLATFORM, "traceparent")]}, ()
    )
    assert result.shares[TENANT].keys == {"traceparent": FIRST}
    assert (result.shares[PLATFORM].keys, result.shares[PLATFORM].taken) == ({"traceparent": FIRST + 1}, [])


def test_a_number_written_by_hand_in_one_home_can_be_written_in_another():
    claims = {"tenant": [claim(TENANT, theirs=FIRST)], "platform": [claim(PLATFORM, ours=FIRST)]}
    result = settle_homes({}, claims, ())
    assert {key: share.keys for key, share in result.shares.items()} == {
        TENANT: {"theirs": FIRST},
        PLATFORM: {"ours": FIRST},
    }


def test_a_register_that_moves_leaves_its_numbers_to_the_keys_of_its_home():
    before = settle_homes({}, {"tenant": [claim(TENANT, "k")]}, ()).homes
    moved = settle_homes(before, {"platform": [claim(TENANT, "k")]}, ()).homes
    assert (keys_of(moved, TENANT), moved["tenant"].given) == ({"k": FIRST + 1}, {"k": FIRST})
    assert keys_of(settle_homes(moved, {"tenant": [claim(TENANT, "k")]}, ()).homes, TENANT) == {"k": FIRST}


def test_a_register_that_moves_brings_no_ids_that_its_owner_chose():
    by_hand = settle_homes({}, {"tenant": [claim(TENANT, k=FIRST + 9)]}, ()).homes
    handed_out = settle_homes(by_hand, {"tenant": [claim(TENANT, "k")]}, ()).homes
    moved = replace(claim(TENANT, "k"), stated={"k": FIRST + 9})
    assert keys_of(handed_out, TENANT) == {"k": FIRST + 9}
    assert keys_of(settle_homes(handed_out, {"platform": [moved]}, ()).homes, TENANT) == {"k": FIRST}
    # Where the ConfigMap is gone, the status alone has the id.
    assert keys_of(settle_homes({}, {"platform": [moved]}, ()).homes, TENANT) == {"k": FIRST + 9}


def test_a_paused_register_keeps_no_key_that_its_cluster_no_longer_allows():
    before = settle_homes({}, {"platform": [claim(TENANT, "tenant.k", "k")]}, ()).homes
    paused = Claim(TENANT, holds_still=True, prefix="tenant.")
    result = settle_homes(before, {"platform": [paused, claim(PLATFORM, "k")]}, ())
    assert (list(result.shares[TENANT].keys), list(result.shares[PLATFORM].keys)) == (["tenant.k"], ["k"])


def test_a_register_that_claims_nothing_leaves_its_keys_and_no_number_comes_to_mean_another():
    before = settle_homes({}, {"platform": [claim(TENANT, "k")]}, ()).homes
    result = settle_homes(before, {"platform": [claim(PLATFORM, "other")]}, {TENANT})
    assert keys_of(result.homes, PLATFORM) == {"other": FIRST + 1}
    again = settle_homes(result.homes, {"platform": [claim(PLATFORM, "other", "k")]}, ())
    assert keys_of(again.homes, PLATFORM) == {"other": FIRST + 1, "k": FIRST}


def test_the_registers_of_one_home_leave_room_for_others():
    homes = {}
    for turn in range(20):
        names = [f"{turn}-{number}-{'x' * 100}" for number in range(400)]
        homes = settle_homes(homes, {"tenant": [claim(TENANT, *names)]}, ()).homes
        homes = settle_homes(homes, {}, {TENANT}).homes
    assert len(header_ids_text(homes)) < MOST_BYTES / 2
    result = settle_homes(homes, {"platform": [claim(PLATFORM, *(f"key-{number}" for number in range(500)))]}, ())
    assert len(result.shares[PLATFORM].keys) == 500


def test_a_text_of_before_there_were_homes_is_that_of_the_releases_namespace():
    owners = {"platform/shared": {"k": FIRST}, "tenant/mine": {"other": 8}}
    old = {"schema": "kwitness.header_ids/1", "owners": owners, "given": {"k": FIRST}}
    homes = header_ids_of({"data": {"header-ids.json": json.dumps({**old, "past": [7]})}}, "platform")
    assert header_ids_text(homes) == (
        '{"schema":"kwitness.header_ids/2","homes":{"platform":{"owners":{"platform/shared":{"k":1245184}},'
        '"given":{"k":1245184},"past":[7],"spent":{}}}}'
    )
