"""What observers or interceptors are to do at once, by resource, until they report the settings that say so."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.envelopes import Directives, ResourceDirectives

MAX_DIRECTIVES: Final = 4_096
_NONE: Final = Directives()


class DirectiveTable:
    """The newest directives of each resource of one kind; the oldest go when there are too many."""

    def __init__(self, most: int = MAX_DIRECTIVES) -> None:
        self._most = most
        self._by_resource: dict[tuple[str, str], ResourceDirectives] = {}

    def put(self, namespace: str, name: str, directives: ResourceDirectives) -> None:
        """Remember what those of one resource are to do, instead of what was said before."""
        self._by_resource.pop((namespace, name), None)
        if len(self._by_resource) >= self._most:
            del self._by_resource[next(iter(self._by_resource))]
        self._by_resource[namespace, name] = directives

    def for_pod(self, pod_namespace: str, namespace: str, name: str, *, settings: str, suspended: bool) -> Directives:
        """Return what a pod that reports for a resource is to do.

        Nothing where it does so by the ``settings`` that it runs, or where the resource may not act in
        ``pod_namespace``, which is that of the verified sender.
        """
        found = self._by_resource.get((namespace, name))
        if found is None or not found.reach(namespace, pod_namespace):
            return _NONE
        obeyed = (settings, suspended) == (found.settings, found.suspend)
        return _NONE if obeyed else Directives(settings=found.settings, suspend=found.suspend)
