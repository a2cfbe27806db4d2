"""What observers are to do at once, by ObserverDeployment, until they report that they run the settings that say so."""

from __future__ import annotations

from typing import Final

from kwitness.contracts.envelopes import Directives, EventsHead

MAX_DIRECTIVES: Final = 4_096
_NONE: Final = Directives()


class DirectiveTable:
    """The newest directives of each ObserverDeployment; the oldest go when there are too many."""

    def __init__(self, most: int = MAX_DIRECTIVES) -> None:
        self._most = most
        self._by_resource: dict[tuple[str, str], Directives] = {}

    def put(self, namespace: str, name: str, directives: Directives) -> None:
        """Remember what the observers of one resource are to do, instead of what was said before."""
        self._by_resource.pop((namespace, name), None)
        if len(self._by_resource) >= self._most:
            del self._by_resource[next(iter(self._by_resource))]
        self._by_resource[namespace, name] = directives

    def for_observer(self, head: EventsHead) -> Directives:
        """Return what one observer is to do; nothing where it does so by the settings that it runs."""
        found = self._by_resource.get((head.observer.namespace, head.observer.name), _NONE)
        obeyed = (head.state.settings, head.state.suspended) == (found.settings, found.suspend)
        return _NONE if obeyed else found
