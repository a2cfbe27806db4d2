"""Where it is remembered who has which header key and number, as a kind sees it."""

from __future__ import annotations

from kwitness.operator.environment.clusters import present
from kwitness.operator.model.header_ids import HEADER_IDS_CONFIG_MAP, Homes, header_ids_of
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.facts import NamedObject
from kwitness.operator.shapes.work import View

__all__ = ["header_ids", "header_ids_fact"]


def header_ids_fact(settings: OperatorSettings) -> NamedObject:
    """The ConfigMap that remembers them."""
    return NamedObject("ConfigMap", Key(settings.namespace, HEADER_IDS_CONFIG_MAP))


def header_ids(view: View) -> Homes:
    """What it says.

    Raises
    ------
    OperatorError
        It could not be read.
    """
    return header_ids_of(present(view, header_ids_fact(view.settings)), view.settings.namespace)
