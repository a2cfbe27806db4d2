"""Write the page of what one namespace can do to others, from the list that tests of tenants go through."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import yaml

__all__ = ["tenants_page"]

_VERBS: Final = Path(__file__).resolve().parents[4] / "tests" / "tenants" / "verbs.yaml"
_HEAD: Final = """<!-- Generated from tests/tenants/verbs.yaml. -->
# What one namespace can do to others

What acts for a whole Kafka cluster is named by its KafkaCluster. Everything else that a namespace makes acts on that
namespace alone, or where the other side consented in a field or a Helm value.

Each row is tested on an API server and a broker: a user who may create, change and delete resources of one watched
namespace, and nothing else, does so, and no object and no status of another namespace changes. Of several KafkaClusters
that lead to one Kafka cluster, one rules ([0146](../decisions/0146-one-of-several-kafkaclusters-rules.md)), which the
condition `Rules` shows.

| May create | Gets | Reason in its status | More by consent |
|---|---|---|---|
"""


def tenants_page() -> str:
    """Return the page."""
    rows = yaml.safe_load(_VERBS.read_text(encoding="utf-8"))
    lines = (f"| {row['create']} | {row['gets']} | `{row['reason']}` | {row['consent'] or '-'} |" for row in rows)
    return _HEAD + "\n".join(lines) + "\n"
