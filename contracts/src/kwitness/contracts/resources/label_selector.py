"""Kubernetes' LabelSelector: which objects, by their labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field
from typing_extensions import override

from .contract_model import Contract, Rule, list_atomic, list_set, rules

__all__ = ["LABEL_KEY", "LabelKey", "LabelRequirement", "LabelSelector", "LabelText"]

LabelText = Annotated[
    str,
    Field(
        max_length=63, pattern=r"^([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?$", description="The value of the label."
    ),
]
"""The value of a label, as Kubernetes allows it."""

LABEL_KEY: Final = "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$"
LabelKey = Annotated[str, Field(min_length=1, max_length=317, pattern=LABEL_KEY)]
"""The key of a label, as Kubernetes allows it."""

_WITH_VALUES = ("In", "NotIn")


class LabelRequirement(Contract):
    """One requirement on one label."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                f"(self.operator in {list(_WITH_VALUES)}) == (has(self.values) && size(self.values) > 0)",
                "values goes with operator In and NotIn, which need one at least, and only with them",
                field_path=".values",
            )
        )
    )
    key: LabelKey = Field(description="The key of the label.")
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"] = Field(
        description="In: the label has one of values. NotIn: it has none of them, or does not exist. Exists and "
        "DoesNotExist: whatever its value."
    )
    values: tuple[LabelText, ...] = Field(
        (),
        description="Values of the label; with operator In and NotIn, and only with them.",
        max_length=16,
        json_schema_extra=list_set(),
    )

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether an object with `labels` meets the requirement."""
        match self.operator:
            case "In":
                return labels.get(self.key) in self.values
            case "NotIn":
                return labels.get(self.key) not in self.values
            case "Exists":
                return self.key in labels
            case "DoesNotExist":
                return self.key not in labels

    @override
    def __str__(self) -> str:
        match self.operator:
            case "In" | "NotIn":
                return f"{self.key} {self.operator.lower()} ({','.join(self.values)})"
            case "Exists":
                return self.key
            case "DoesNotExist":
                return f"!{self.key}"


class LabelSelector(Contract):
    """Objects by their labels: all of matchLabels and matchExpressions must hold; {} selects every object."""

    model_config = ConfigDict(json_schema_extra={"x-kubernetes-map-type": "atomic"})
    match_labels: dict[str, LabelText] = Field(
        default_factory=dict, description="Labels that an object must have, all of them.", max_length=16
    )
    match_expressions: tuple[LabelRequirement, ...] = Field(
        (),
        description="Requirements that an object's labels must meet, all of them.",
        max_length=16,
        json_schema_extra=list_atomic(),
    )

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Return whether the selector selects an object with `labels`."""
        return self.match_labels.items() <= labels.items() and all(
            requirement.matches(labels) for requirement in self.match_expressions
        )

    @override
    def __str__(self) -> str:
        """Return the text that `kubectl get --selector` takes."""
        pairs = [f"{key}={value}" for key, value in sorted(self.match_labels.items())]
        return ",".join([*pairs, *map(str, self.match_expressions)])
