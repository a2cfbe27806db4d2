"""A literal prefix that names a namespace, so that one entry of a KafkaCluster bounds many namespaces."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .contract_model import Rule, rules

__all__ = ["prefix_of_namespace", "template_field"]

_NAMESPACE = "{namespace}"


def template_field(description: str) -> Any:
    """Return a pydantic field for such a template, None where absent."""
    return Field(
        None,
        description=description,
        min_length=1,
        max_length=128,
        pattern=r"^[A-Za-z0-9._{}-]+$",
        json_schema_extra=rules(
            Rule(
                r"self.matches('^[A-Za-z0-9._-]*[{]namespace[}][._][A-Za-z0-9._-]*$')",
                "must hold {namespace} once, followed by '.' or '_', such as '{namespace}.', and be letters, digits, "
                "'.', '_' and '-' besides",
            )
        ),
    )


def prefix_of_namespace(template: str, namespace: str) -> str:
    """Return the prefix that a template means for a namespace."""
    return template.replace(_NAMESPACE, namespace)
