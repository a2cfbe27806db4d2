"""Words for what keeps owners from being complete."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from kwitness.contracts.owners import OwnerSource
from kwitness.operator.model.combined_owners import MOST_BYTES
from kwitness.operator.model.declared_owners import MOST_ENTRIES, DeclaredEntries

__all__ = ["about_declared", "about_room", "as_message"]

_MOST_PROBLEMS: Final = 3


def about_declared(declared: DeclaredEntries, source: OwnerSource, namespace: str) -> Iterator[str]:
    """Yield a sentence for each problem of a source."""
    where = f" in namespace {namespace}" if namespace else ""
    if not declared.is_served:
        yield (
            f"the API server has no kind {source} of kafka.strimzi.io/v1: install Strimzi 0.49 or later, or take"
            " strimzi out of spec.owners"
        )
    if declared.unusable:
        more = f" and {declared.unusable - 1} more" if declared.unusable > 1 else ""
        yield (
            f"{source} {declared.example}{more}{where} cannot be used: a team has at most 128 characters, a contact"
            " 256, and a topic a name that Kafka takes"
        )
    if not declared.is_complete:
        yield (
            f"there are more objects of kind {source}{where} than are read, and those behind it in the order of sources"
            f" are left out: name owners of {MOST_ENTRIES} at most, and match others by how they begin in the ConfigMap"
        )


def about_room(left_out: int) -> Iterator[str]:
    """Yield the sentence about entries that are left out, if there are any."""
    if left_out:
        yield (
            f"the last {left_out} entries are left out: a KafkaCluster has at most {MOST_ENTRIES} of"
            f" {MOST_BYTES // 1024} KiB; match several by how they begin in the ConfigMap"
        )


def as_message(problems: Iterable[str]) -> str | None:
    """Return the first problems as one text, each once; None if there are none."""
    known = list(dict.fromkeys(problems))
    more = [f"and {len(known) - _MOST_PROBLEMS} more"] if len(known) > _MOST_PROBLEMS else []
    return "; ".join([*known[:_MOST_PROBLEMS], *more]) or None
