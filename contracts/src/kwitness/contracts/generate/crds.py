"""CustomResourceDefinitions: plain files in `crds/`, and the same as templates of the chart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from typing_extensions import override

from kwitness.contracts.resources import KINDS, KindInfo, PrinterColumn
from kwitness.contracts.resources.contract_model import VALIDATIONS, Contract
from kwitness.contracts.resources.meta import GROUP, VERSION

from .structural_schema import structural_schema

__all__ = ["crd", "crds"]

_MARK = "Generated from contracts/ by `make generate`; do not edit."
_READY = ".status.conditions[?(@.type=='Ready')]"
_LEADING = (
    PrinterColumn("Ready", "string", f"{_READY}.status", "Whether the resource is as it should be."),
    PrinterColumn("Reason", "string", f"{_READY}.reason", "Why, in one word."),
)
_SCALE = {
    "specReplicasPath": ".spec.replicas",
    "statusReplicasPath": ".status.replicas",
    "labelSelectorPath": ".status.selector",
}
_AGE = PrinterColumn("Age", "date", ".metadata.creationTimestamp", "Time since it was made.")


class _Dumper(yaml.SafeDumper):
    """YAML without anchors, which Kubernetes' tools read but people do not."""

    @override
    def ignore_aliases(self, data: Any) -> bool:
        """Write each value out."""
        del data
        return True


def _column(column: PrinterColumn) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "description": column.description,
        "jsonPath": column.json_path,
    }


def _part(model: type[Contract], field: str, *, defaults: bool) -> dict[str, Any]:
    """Return the schema of `spec` or `status`, with the description that the kind gives it."""
    described = model.model_fields[field]
    part = described.annotation if field == "spec" else next(iter(described.annotation.__args__))  # type: ignore[union-attr]
    schema = structural_schema(part, defaults=defaults)  # type: ignore[arg-type]
    return {**schema, "description": described.description}


def _schema(info: KindInfo) -> dict[str, Any]:
    own = info.model.model_json_schema(by_alias=True)
    schema: dict[str, Any] = {
        "type": "object",
        "description": own["description"],
        "required": ["metadata", "spec"],
        "properties": {
            "apiVersion": {"type": "string", "description": f"Group and version: {GROUP}/{VERSION}."},
            "kind": {"type": "string", "description": f"The kind: {info.kind}."},
            # The bound keeps the cost of the rule on the name small.
            "metadata": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "maxLength": 253, "description": "The name, unique in its namespace."}
                },
            },
            "spec": _part(info.model, "spec", defaults=True),
            "status": _part(info.model, "status", defaults=False),
        },
    }
    if VALIDATIONS in own:
        schema[VALIDATIONS] = own[VALIDATIONS]
    return schema


def crd(info: KindInfo) -> dict[str, Any]:
    """Return the CustomResourceDefinition of a kind."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{info.plural}.{GROUP}",
            "labels": {"app.kubernetes.io/part-of": "kwitness"},
            "annotations": {"helm.sh/resource-policy": "keep"},
        },
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": info.kind,
                "listKind": f"{info.kind}List",
                "plural": info.plural,
                "singular": info.singular,
                "shortNames": [info.short_name],
                "categories": ["kwitness"],
            },
            "versions": [
                {
                    "name": VERSION,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}, **({"scale": _SCALE} if info.scales else {})},
                    "additionalPrinterColumns": [_column(one) for one in (*_LEADING, *info.columns, _AGE)],
                    "schema": {"openAPIV3Schema": _schema(info)},
                }
            ],
        },
    }


def crds(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each definition, plain and as a template of the chart."""
    for info in KINDS:
        text = yaml.dump(crd(info), Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True)
        yield root / "crds" / f"{info.plural}.yaml", f"# {_MARK}\n{text}"
        # Helm reads braces as its own wherever they stand.
        escaped = text.replace("{{", "{{ `{{` }}")
        yield (
            root / "charts/kwitness/charts/kwitness-crds/templates" / f"{info.plural}.yaml",
            f"{{{{- /* {_MARK} */ -}}}}\n{escaped}",
        )
