"""GET /v1/silent: who is connected and does not push, and why."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .envelope_model import Count, Envelope, ReplicasAnswer

__all__ = ["SilenceReason", "SilentClients", "SilentItem"]

SilenceReason = Literal[
    "TooOld",
    "SubscribedNotPushing",
    "Throttled",
    "UnknownSubscription",
    "PluginError",
    "InstanceLimit",
    "NoSubscriptionMatches",
    "Malformed",
    "NotAsking",
    "Unknown",
]


class SilentItem(Envelope):
    """A client that is silent, as closely as it is known: a software, an instance, or one client at an observer."""

    k8s_namespace: str | None = Field(
        None, description="Namespace of its pod, as a token proves it; in answers with proven=true."
    )
    client_id: str | None = Field(None, description="Client id; known to observers, and of instances that pushed.")
    client_instance_id: str | None = Field(None, description="Client instance id, where it asked or pushed.")
    principal: str | None = Field(None, description="Principal, as the observer or the broker knows it.")
    client_address: str | None = Field(None, description="Address, as the observer or the broker sees it.")
    client_software_name: str = Field(
        description="Software name; unknown where the client announced none, or has only asked: a broker does not "
        "say of which software such an instance is."
    )
    client_software_version: str = Field(description="Software version, likewise.")
    connections: Count | None = Field(None, description="Open connections; absent where they cannot be counted.")
    ours: bool = Field(False, description="Whether it is the platform's own; shown with ours=true alone.")
    seen_by: Literal["plugin", "observer"] = Field(description="Who says so: a broker's plugin, or an observer.")
    reason: SilenceReason = Field(
        description="Why. TooOld: its version has no telemetry. NotAsking: it asked no broker. SubscribedNotPushing: "
        "it did, and nothing came. Throttled, UnknownSubscription, PluginError: the broker refused its pushes, or a "
        "receiver there failed. InstanceLimit: the broker remembers no more instances. NoSubscriptionMatches: it is "
        "asked for nothing. Malformed: nothing that it pushes can be read. Unknown: no broker shows more."
    )
    detail: str = Field(description="What is known, and what to do, in a sentence.")


class SilentClients(ReplicasAnswer):
    """Clients that are connected and do not push."""

    items: tuple[SilentItem, ...] = Field(description="Those with most connections first.")
    left_out: Count = Field(0, description="How many more there are than are listed.")
