"""What headers of a pod's records are judged by."""

from __future__ import annotations

from kwitness.contracts.header_rules import HeaderRules
from kwitness.contracts.interceptor_injections import TESTING

from . import pods
from .place import Place

__all__ = ["rules_in"]


def rules_in(place: Place, rules: HeaderRules) -> HeaderRules:
    """The rules; ids for tests are nothing to report of a namespace that is there for them."""
    if pods.labels_of(place.namespace).get(TESTING) != "true":
        return rules
    return rules.model_copy(update={"keys": tuple(one.model_copy(update={"testing_id": False}) for one in rules.keys)})
