"""Why a client is silent, in words, and what to do; the collector's own sentence comes first where it has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from kwitness.contracts.envelopes import SilenceReason, SilentItem

__all__ = ["REASONS", "SILENT_HEADINGS", "WHY_HEADINGS", "Explanation", "explained", "silent_cells"]


class Explanation(NamedTuple):
    """What a reason means, as the end of "it is silent because ...", and what to do."""

    because: str
    remedy: str


REASONS: Final[Mapping[SilenceReason, Explanation]] = {
    "TooOld": Explanation(
        "this version of its library cannot push",
        "upgrade it: kafka-clients from 3.7, librdkafka from 2.5.3",
    ),
    "SubscribedNotPushing": Explanation(
        "it asked for subscriptions, was told what to push, and has not pushed",
        "wait for one and a half intervals; then look into the client's log for lines of telemetry",
    ),
    "Throttled": Explanation(
        "brokers throttle its telemetry requests",
        "wait; if it stays so, look for many clients behind one user or client id with a request quota",
    ),
    "UnknownSubscription": Explanation(
        "it pushes by a subscription that brokers do not have any more",
        "wait for one interval: it asks again by itself",
    ),
    "PluginError": Explanation(
        "the plugin of a broker failed on its push",
        "see the brokers' log, lines of kwitness, and `kwitness doctor`",
    ),
    "InstanceLimit": Explanation(
        "its broker keeps no more than 16,384 client instances and refused this one",
        "look for an application that makes clients in a loop; the instances are forgotten when they are gone",
    ),
    "NoSubscriptionMatches": Explanation(
        "no subscription matches it",
        "ask it for metrics: kwitness subscriptions add",
    ),
    "Malformed": Explanation(
        "what it pushes cannot be read",
        "see the reason that the collector gives, and report the client's version",
    ),
    "NotAsking": Explanation(
        "it never asks brokers for subscriptions, though its version could",
        "set enable.metrics.push=true in the client; a framework may turn it off",
    ),
    "Unknown": Explanation(
        "of something that no broker shows",
        "look into the client's log for lines of telemetry, and see that the brokers have the plugin: kwitness doctor",
    ),
}
"""The reasons of `GET /v1/silent`."""

SILENT_HEADINGS: Final = (
    "CLIENT ID",
    "INSTANCE",
    "SOFTWARE",
    "VERSION",
    "PRINCIPAL",
    "ADDRESS",
    "CONNECTIONS",
    "SEEN BY",
    "STATE",
)
WHY_HEADINGS: Final = ("REASON", "WHAT TO DO")


def explained(reason: SilenceReason) -> Explanation:
    """What a reason means and what to do."""
    return REASONS[reason]


def silent_cells(one: SilentItem, instance: str | None, *, why: bool) -> Sequence[str | None]:
    """A line for `SILENT_HEADINGS`, and with `why` for `WHY_HEADINGS` as well."""
    connections = None if one.connections is None else str(one.connections)
    cells = (
        one.client_id,
        instance,
        one.client_software_name,
        one.client_software_version,
        one.principal,
        one.client_address,
        connections,
        one.seen_by,
        "Ours" if one.ours else "Silent",
    )
    return (*cells, one.reason, one.detail or explained(one.reason).remedy) if why else cells
