"""Lines that give a page's numbers in other programs: the command, kubectl, Prometheus and SQL over tables."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Final, NamedTuple

from kwitness.console.pages.fleet import FleetView
from kwitness.console.pages.names import LONGEST

__all__ = ["Line", "of_client", "of_fleet", "of_topic", "of_topics"]


_BYTES: Final = "kafka_client_record_bytes_total"


class Line(NamedTuple):
    """A line to type, the program that it is for, and what it gives."""

    program: str
    text: str
    gives: str


def _pattern(name: str) -> str:
    """Return a name, or its beginning and a * where the rest is too long or cannot be typed."""
    end = next((at for at, character in enumerate(name) if not character.isprintable()), len(name))
    end = min(end, LONGEST)
    return name if end == len(name) else f"{name[:end]}*"


def _options(view: FleetView) -> str:
    """Return the filters of Fleet as options of the command; an application is a workload or a principal."""
    options = {"--owner": view.owner, "--software": view.software, "--software-version": view.version}
    if view.application.startswith("User:"):
        options["--principal"] = view.application
    elif "/" in view.application:
        options["--pod-namespace"], _, options["--workload"] = view.application.partition("/")
    elif view.application:
        options["--client-id"] = view.application
    return "".join(f" {name} {shlex.quote(_pattern(value))}" for name, value in options.items() if value)


def _label(name: str, value: str) -> str:
    return f"{name}={json.dumps(value, ensure_ascii=False)}"


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def of_fleet(view: FleetView) -> Sequence[Line]:
    """Return the lines of Fleet, with the filters that the command has too."""
    options = _options(view)
    owner = f" AND owner = {_literal(view.owner)}" if view.owner and not view.owner.endswith("*") else ""
    return (
        Line("kwitness", f"kwitness clients{options}", "instances that push"),
        Line("kwitness", f"kwitness connections --by client_id{options}", "connections that observers list"),
        Line("kwitness", "kwitness clients --silent --why", "connections without a name, with the reason"),
        Line("kubectl", "kubectl get telemetrycollectors --all-namespaces", "instances that push, by collector"),
        Line(
            "PromQL",
            "sort_desc(sum by (client_software_name, client_software_version) (kwitness:client_connections))",
            "connections that brokers count, by version",
        ),
        Line(
            "SQL",
            'kwitness tables sql "SELECT owner, principal, client_id, client_software_name, client_software_version '
            f"FROM client_inventory WHERE kind = 'instance' AND NOT ours{owner} ORDER BY ALL\" tables",
            "clients of an earlier time as well",
        ),
    )


def of_topics() -> Sequence[Line]:
    """Return the lines of the list of topics."""
    return (
        Line("kwitness", "kwitness topics", "topics with their writers and readers"),
        Line("kwitness", "kwitness groups", "consumer groups and their lag"),
        Line("kubectl", "kubectl get kafkatopics --all-namespaces", "topics that Strimzi keeps"),
        Line("PromQL", "sum by (topic, api) (rate(kafka_client_record_bytes_total[5m]))", "bytes by topic"),
    )


def of_topic(topic: str) -> Sequence[Line]:
    """Return the lines of one topic."""
    name = shlex.quote(_pattern(topic))
    return (
        Line("kwitness", f"kwitness topics {name}", "who writes and reads it"),
        Line("kwitness", f"kwitness groups --topic {name}", "consumer groups and their lag"),
        Line("kubectl", f"kubectl get kafkatopics --all-namespaces --field-selector metadata.name={name}", "Strimzi's"),
        Line(
            "PromQL",
            f"sum by (client_id, principal, api) (rate({_BYTES}{{{_label('topic', topic)}}}[5m]))",
            "bytes by client",
        ),
        Line(
            "SQL",
            'kwitness tables sql "SELECT DISTINCT topic, api, owner, owner_contact, principal, client_id FROM traffic '
            f"WHERE kind = 'partition' AND topic = {_literal(topic)} ORDER BY ALL\" tables",
            "who used it earlier as well",
        ),
    )


def of_client(client_id: str) -> Sequence[Line]:
    """Return the lines of one client id."""
    name = shlex.quote(_pattern(client_id))
    return (
        Line("kwitness", f"kwitness why {name}", "its state, the reason, and what to do"),
        Line("kwitness", f"kwitness clients {name} --output wide", "its instances that push"),
        Line("kwitness", f"kwitness connections --client-id {name}", "its connections at observers"),
        Line("kwitness", f"kwitness topics '*' --client-id {name}", "topics that it uses"),
        Line(
            "PromQL",
            f"sum by (topic, api) (rate({_BYTES}{{{_label('client_id', client_id)}}}[5m]))",
            "bytes by topic",
        ),
        Line(
            "SQL",
            'kwitness tables sql "SELECT window_start_ms, topic, api, requests, records FROM traffic '
            f"WHERE kind = 'partition' AND client_id = {_literal(client_id)} ORDER BY ALL\" tables",
            "its traffic of an earlier time as well",
        ),
    )
