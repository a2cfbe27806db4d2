"""To which clients a KafkaCluster narrows the subscriptions of a namespace."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.namespace_template import prefix_of_namespace
from kwitness.operator.model.errors import TerminalError

__all__ = ["Narrowing", "narrowing", "reach_depends_on_labels"]

_QUANTIFIERS = ("*", "+", "?", "{")
_ESCAPES_AND_CLASSES = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What the property that ``selector`` names must start with, literally; a match that is added to a subscription."""

    selector: str
    prefix: str

    @property
    def beginning(self) -> str:
        """What a pattern begins with that matches nothing else."""
        return "".join(character if character.isalnum() else f"\\{character}" for character in self.prefix)

    @property
    def pattern(self) -> str:
        """The match as a pattern that the broker reads as it stands."""
        return f"{self.beginning}.*"

    def holds(self, pattern: str) -> bool:
        """Whether all that ``pattern`` matches certainly starts so: it begins with the prefix, character by character.

        A pattern that says the same in another way is not recognised.
        """
        rest = pattern.removeprefix("^")
        for character in self.prefix:
            # A letter or digit with a backslash is something else, and a full stop without one is any character.
            if not character.isalnum() and rest.startswith(f"\\{character}"):
                rest = rest[2:]
            elif character != "." and rest.startswith(character):
                rest = rest[1:]
            else:
                return False
        return not rest.startswith(_QUANTIFIERS) and not _has_alternatives(rest)


def _has_alternatives(pattern: str) -> bool:
    """Whether there is a ``|`` outside of all groups, so that the beginning is that of one alternative only."""
    depth = 0
    for character in _ESCAPES_AND_CLASSES.sub("", pattern):
        depth += (character == "(") - (character == ")")
        if character == "|" and depth <= 0:
            return True
    return False


def reach_depends_on_labels(cluster: KafkaCluster, namespace: str) -> bool:
    """Whether the labels of ``namespace`` decide which clients its subscriptions reach."""
    spec = cluster.spec.subscriptions
    by_name = any(one.namespace == namespace for one in spec.restrict)
    return namespace != cluster.metadata.namespace and bool(spec.foreign) and not by_name


def narrowing(cluster: KafkaCluster, namespace: str, labels: Mapping[str, str] | None) -> Narrowing | None:
    """What is added to subscriptions of ``namespace``, which has ``labels`` (None: unknown); None for nothing.

    An entry of ``restrict`` comes before those of ``foreign``, of which the first counts that selects the namespace.

    Raises
    ------
    TerminalError
        Reason Restricted: there is a list of foreign namespaces, and no entry selects this one.
    """
    spec = cluster.spec.subscriptions
    for named in spec.restrict:
        if named.namespace == namespace:
            return Narrowing(named.selector, named.prefix)
    if namespace == cluster.metadata.namespace or spec.foreign is None:
        return None
    for entry in spec.foreign:
        if labels is not None and entry.namespace_selector.matches(labels):
            if entry.template is None:
                return None
            return Narrowing(entry.selector, prefix_of_namespace(entry.template, namespace))
    unread = ", whose labels the operator may not read" if labels is None and spec.foreign else ""
    raise TerminalError(
        "Restricted",
        f"spec.subscriptions.foreign of KafkaCluster {cluster.metadata.name} has no entry that"
        f" selects namespace {namespace}{unread}: its owner can add one",
    )
