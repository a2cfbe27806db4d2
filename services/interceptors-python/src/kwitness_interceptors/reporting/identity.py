"""Who reports: the pod, and a name that each process draws for itself."""

from __future__ import annotations

import os
import secrets
import time
from typing import NamedTuple, Optional

__all__ = ["SETTINGS_VARIABLE", "Reporter", "drawn_reporter"]

SETTINGS_VARIABLE = "KWITNESS_INTERCEPTORS"
_NAMESPACE_VARIABLE = "KWITNESS_POD_NAMESPACE"
_NAME_VARIABLE = "KWITNESS_POD_NAME"
_CONTAINER_VARIABLE = "KWITNESS_CONTAINER"


class Reporter(NamedTuple):
    """`pod` is ``<namespace>/<pod>``, None where it is not known: then nothing is reported."""

    name: str
    epoch_ms: int
    process_id: int
    pod: Optional[str]
    container: Optional[str]

    @property
    def source(self) -> str:
        """Who numbers the events."""
        return f"{self.pod}/{self.name}"


def drawn_reporter() -> Reporter:
    """Draw the name of this process; a fork draws another."""
    namespace, pod = os.environ.get(_NAMESPACE_VARIABLE), os.environ.get(_NAME_VARIABLE)
    return Reporter(
        secrets.token_hex(8),
        int(time.time() * 1000),
        os.getpid(),
        f"{namespace}/{pod}" if namespace and pod else None,
        os.environ.get(_CONTAINER_VARIABLE) or None,
    )
