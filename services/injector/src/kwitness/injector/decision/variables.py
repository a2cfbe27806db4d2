"""Rewriting an application's environment, so that it connects to the observer beside it."""

from __future__ import annotations

from collections.abc import Mapping

from kwitness.contracts.injections import Injection, Variables
from kwitness.contracts.interceptor_injections import INTERCEPTORS_CONTAINER
from kwitness.contracts.observer_settings import ObserverSettings

from .addresses import names_listener
from .pods import Json, all_containers
from .sidecar import OURS

__all__ = ["chosen_containers", "names_another_cluster", "rewritten_environment"]


def chosen_containers(pod: Json, injection: Injection) -> list[Json]:
    """The containers whose variables are meant, init containers first."""
    own = [one for one in all_containers(pod) if one["name"] not in {*OURS, INTERCEPTORS_CONTAINER}]
    return [one for one in own if not injection.containers or one["name"] in injection.containers]


def names_another_cluster(pod: Json, injection: Injection, namespace: str, written: str) -> bool:
    """Whether a bootstrap variable holds, in plain text, addresses of which none is the listener's.

    ``written`` is what an earlier call of the webhook may have left in it.
    """
    if injection.variables is None:
        return False
    names = frozenset(injection.variables.bootstrap_servers)
    known = (written, *injection.addresses, *injection.settings.upstream.bootstrap_servers)
    return any(
        not names_listener(entry["value"], namespace, known, injection.address_namespace)
        for container in chosen_containers(pod, injection)
        for entry in container.get("env") or []
        if entry["name"] in names and entry.get("value")
    )


def rewritten_environment(container: Json, injection: Injection, settings: ObserverSettings) -> list[Json] | None:
    """The container's environment as it must be; None where nothing is rewritten.

    Variables are written as plain values, which win over ``envFrom``. Of each list those that the container shows are
    written; all of them where it shows none or has ``envFrom``, since the image or a ConfigMap may set them.
    """
    variables = injection.variables
    if variables is None:
        return None
    values = _values(container, variables, injection, settings)
    entries = [
        _entry(entry["name"], values[entry["name"]]) if entry["name"] in values else entry
        for entry in container.get("env") or []
    ]
    shown = {entry["name"] for entry in entries}
    # In front: values that are put together from others see only what stands before them.
    return [_entry(name, value) for name, value in values.items() if name not in shown] + entries


def _entry(name: str, value: str) -> Json:
    # The API server writes an empty value as none.
    return {"name": name, "value": value} if value else {"name": name}


def _values(
    container: Json, variables: Variables, injection: Injection, settings: ObserverSettings
) -> Mapping[str, str]:
    listener = settings.listener
    lists = (
        (variables.bootstrap_servers, f"{listener.bind}:{listener.bootstrap_port}"),
        (variables.security_protocol, injection.client_protocol),
        (variables.ca_file, ""),
    )
    shown = {entry["name"] for entry in container.get("env") or []}
    found: dict[str, str] = {}
    for names, value in lists:
        present = [name for name in names if name in shown]
        written = present if present and not container.get("envFrom") else names
        found.update(dict.fromkeys(written, value))
    return found
