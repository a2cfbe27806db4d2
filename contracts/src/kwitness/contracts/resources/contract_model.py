"""The base of every model in contracts, and how a model states what a CRD can check.

A rule is written once, beside the model it is about; the CRD generator copies it into the schema and the API server
evaluates it. Python does not evaluate CEL: what a resource holds was admitted by the API server before we read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

__all__ = ["VALIDATIONS", "Contract", "Rule", "list_atomic", "list_map", "list_set", "rules"]

VALIDATIONS = "x-kubernetes-validations"
"""The schema keyword under which Kubernetes expects CEL rules."""


class Contract(BaseModel):
    """A frozen value: snake_case in Python, camelCase in JSON; unknown keys of newer versions are ignored."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, alias_generator=to_camel, extra="ignore")


@dataclass(frozen=True, slots=True)
class Rule:
    """One CEL rule.

    Attributes
    ----------
    rule
        The expression; `self` is the value of the model or field that carries the rule.
    message
        What is wrong and what to do instead, for the person at `kubectl apply`.
    field_path
        The field to blame, relative to `self` (`.name`), where it is not `self`.
    detail
        An expression whose text follows the message.
    """

    rule: str
    message: str
    field_path: str | None = None
    detail: str | None = None

    def as_schema(self) -> dict[str, str]:
        """Return the rule as one entry of `x-kubernetes-validations`."""
        entry = {"rule": self.rule, "message": self.message}
        if self.detail is not None:
            entry["messageExpression"] = f"'{self.message}: ' + {self.detail}"
        if self.field_path is not None:
            entry["fieldPath"] = self.field_path
        return entry


def rules(*entries: Rule) -> dict[str, Any]:
    """Return schema extras that attach `entries` to a model or a field."""
    return {VALIDATIONS: [entry.as_schema() for entry in entries]}


def list_map(*keys: str) -> dict[str, Any]:
    """Return schema extras for a list whose items are told apart by `keys` (JSON names)."""
    return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(keys)}


def list_atomic() -> dict[str, Any]:
    """Return schema extras for a list whose order counts, so that it is replaced as a whole."""
    return {"x-kubernetes-list-type": "atomic"}


def list_set() -> dict[str, Any]:
    """Return schema extras for a list of distinct scalars."""
    return {"x-kubernetes-list-type": "set"}
