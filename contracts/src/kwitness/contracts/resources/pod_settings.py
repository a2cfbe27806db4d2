"""Settings of pods that a resource has made: where they run, and what other programs find on them."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from .contract_model import Contract, Rule, list_atomic, rules
from .label_selector import LABEL_KEY, LabelKey, LabelText
from .references import SUBDOMAIN

__all__ = ["AnnotationText", "PodSettings", "Toleration", "metadata_rules"]

AnnotationText = Annotated[str, Field(max_length=1024, description="The value of the annotation.")]

_KEPT: Final = "app.kubernetes.io/", "kwitness.dev/"


def metadata_rules(*fields: str) -> tuple[Rule, ...]:
    """Return rules on the keys of labels or annotations: valid, and none that the operator or the injector reads."""
    kept = " || ".join(f"key.startsWith('{prefix}')" for prefix in _KEPT)
    return tuple(
        Rule(f"!has(self.{field}) || self.{field}.all(key, {condition})", message, field_path=f".{field}")
        for field in fields
        for condition, message in (
            (f"!({kept})", f"keys that begin with {' or '.join(_KEPT)} are set by the operator: remove them"),
            (
                f"size(key) <= 317 && key.matches('{LABEL_KEY}')",
                "keys must be names of letters, digits, '-', '_' and '.', with a DNS name and '/' before where needed",
            ),
        )
    )


class Toleration(Contract):
    """A taint of nodes that the pods tolerate."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            Rule(
                "self.operator == 'Equal' ? has(self.key) : !has(self.value)",
                "operator Equal needs key, and value goes with operator Equal only",
                field_path=".operator",
            )
        )
    )
    key: LabelKey | None = Field(None, description="The key of the taint. Absent: every taint, with operator Exists.")
    operator: Literal["Equal", "Exists"] = Field(
        "Equal", description="Equal: the taint has this value. Exists: whatever its value, which must be absent here."
    )
    value: LabelText | None = Field(None, description="The value of the taint, with operator Equal. Absent: empty.")
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] | None = Field(
        None, description="The effect of the taint. Absent: every effect."
    )
    toleration_seconds: int | None = Field(
        None, description="How long, with effect NoExecute, the pod stays on the node, in seconds. Absent: for ever."
    )


class PodSettings(Contract):
    """Labels, annotations and placement of pods."""

    model_config = ConfigDict(json_schema_extra=rules(*metadata_rules("labels", "annotations")))
    labels: dict[str, LabelText] = Field(
        default_factory=dict,
        description="Labels that the pods get besides their own. Keys with the prefixes app.kubernetes.io/ and "
        "kwitness.dev/ are refused.",
        max_length=16,
    )
    annotations: dict[str, AnnotationText] = Field(
        default_factory=dict,
        description="Annotations that the pods get besides their own. Keys with the prefixes app.kubernetes.io/ and "
        "kwitness.dev/ are refused.",
        max_length=16,
    )
    node_selector: dict[str, LabelText] | None = Field(
        None,
        description="Labels of nodes on which the pods may run. Absent: as the Helm values say.",
        max_length=16,
    )
    tolerations: tuple[Toleration, ...] | None = Field(
        None,
        description="Taints of nodes that the pods tolerate. Absent: as the Helm values say.",
        max_length=16,
        json_schema_extra=list_atomic(),
    )
    priority_class_name: str | None = Field(
        None,
        description="The PriorityClass of the pods. Absent: the cluster's default.",
        min_length=1,
        max_length=253,
        pattern=SUBDOMAIN,
    )
