"""What Pod Security enforces in a namespace, for the length of a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from kwitness.demo.platform import Platform

ENFORCED: Final = "pod-security.kubernetes.io/enforce"


@contextmanager
def enforcing(platform: Platform, namespace: str, level: str) -> Iterator[None]:
    """Another Pod Security Standard, for the length of a block."""
    before = platform.cluster.find("namespace", namespace)["metadata"]["labels"][ENFORCED]
    platform.cluster.objects.label("namespace", namespace, None, {ENFORCED: level})
    try:
        yield
    finally:
        platform.cluster.objects.label("namespace", namespace, None, {ENFORCED: before})
