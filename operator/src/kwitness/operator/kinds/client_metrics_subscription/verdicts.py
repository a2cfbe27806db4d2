"""What a subscription is told, and how that becomes its status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kwitness.contracts.resources.client_metrics_subscription import ClientMetricsSubscriptionStatus
from kwitness.operator.desired.subscription_expiry import expires_ms
from kwitness.operator.desired.subscription_status import live_fields
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.moments import rfc3339
from kwitness.operator.model.parse_resource import parse_status
from kwitness.operator.model.store import Subject
from kwitness.operator.shapes.facts import Body
from kwitness.operator.shapes.subscription_facts import ClientSightings
from kwitness.operator.shapes.work import Note, Outcome

__all__ = ["Judged", "own_fields", "said_of"]

_KEPT = ("brokerResource", "atRiskClients", "warnings")


@dataclass(frozen=True, slots=True)
class Judged:
    """The Ready verdict of a subscription and the fields of its status that hold still, as the status spells them."""

    subject: Subject
    verdict: Verdict
    fields: Mapping[str, Any]
    notes: tuple[Note, ...] = field(default=())
    unexpected: Exception | None = None

    @classmethod
    def unchanged(cls, body: Body, verdict: Verdict, *, unexpected: Exception | None = None) -> Judged:
        """One of which only ``verdict`` is to be told."""
        said = said_of(body)
        fields = {name: said[name] for name in _KEPT if name in said}
        return cls(Subject.of(body), verdict, {**fields, **_end(body)}, unexpected=unexpected)

    def outcome(self, clients: ClientSightings) -> Outcome:
        """With what is known of its clients."""
        name = self.fields.get("brokerResource")
        fields = {**self.fields, **live_fields(clients.numbers.get(name) if name is not None else None)}
        said = {name: value for name, value in fields.items() if value is not None}
        return Outcome(
            self.subject.uid,
            self.subject.generation,
            ClientMetricsSubscriptionStatus.model_validate(said),
            (self.verdict, *([clients.verdict] if clients.verdict is not None else [])),
            notes=self.notes,
            unexpected=self.unexpected,
        )


def said_of(body: Body) -> dict[str, Any]:
    """What the status of a subscription says, as it spells it; nothing where that cannot be read."""
    return parse_status(ClientMetricsSubscriptionStatus, body).model_dump(mode="json", by_alias=True, exclude_none=True)


def own_fields(body: Body, name: str) -> dict[str, Any]:
    """What the status says of every subscription that asks for something."""
    return {"brokerResource": name, **_end(body)}


def _end(body: Body) -> dict[str, Any]:
    ends = expires_ms(body)
    return {} if ends is None else {"expiresAt": rfc3339(ends)}
