"""Names the cluster to ask, as the options of kubectl do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

__all__ = ["AccessOptions"]


@dataclass(frozen=True, slots=True)
class AccessOptions:
    """The API server, the namespace and the collector; None is what the kubeconfig says, or the default."""

    kubeconfig: Path | None = None
    context: str | None = None
    namespace: str | None = None
    collector: str | None = None
