"""Everything that is known about one client, in a page of plain sentences."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from kwitness.contracts.envelopes import ClientItem, ClientMetricValue, ConnectionItem, CountedValue, SilentItem

from .advice import as_sentence, owner_text, subscribe_line
from .client_facts import facts_of
from .client_rows import pod_of, software_of
from .client_state import ClientState, interval_of, state_of
from .counted_values import ends_of, statistics_of
from .elapsed import ago, span
from .known_wrong import known_wrong
from .silence import explained

__all__ = [
    "CONNECTIONS",
    "PUSHES",
    "REQUESTED",
    "STEPS",
    "WHO",
    "WRONG",
    "Fact",
    "Section",
    "Sighting",
    "next_step",
    "story_of",
    "story_of_connections",
    "story_of_counts",
    "story_of_silent",
]

WHO: Final = "Who it is"
CONNECTIONS: Final = "Connections that observers see"
REQUESTED: Final = "What it is asked for"
PUSHES: Final = "Whether it pushes"
STEPS: Final = "What to do next"
WRONG: Final = "What is known to be wrong with its software"
_WITNESS: Final = {"plugin": "the brokers' plugin", "observer": "an observer"}


class Fact(NamedTuple):
    """A fact of a client: its label and value, and the sentence of both."""

    label: str
    value: str
    sentence: str


class Section(NamedTuple):
    """A heading and its sentences; `facts` are those of them that have a label, in the same order."""

    heading: str
    sentences: Sequence[str]
    facts: Sequence[Fact] = ()


class Sighting(NamedTuple):
    """Answers about a client beside its own record.

    Its values, why it is silent, its connections at observers, and what observers and interceptors count of it.
    """

    metrics: Sequence[ClientMetricValue] = ()
    silent: SilentItem | None = None
    connections: Sequence[ConnectionItem] = ()
    counted: Sequence[CountedValue] = ()


def story_of(client: ClientItem, seen: Sighting, now_ms: int) -> list[Section]:
    """The page of an instance that the collector knows; sections without a sentence are left out."""
    state = state_of(client, now_ms)
    steps = [next_step(client, state)]
    if seen.silent is not None:
        steps = _remedies(seen.silent, client.client_id, client.client_instance_id)
    sections = [
        _who(client, now_ms),
        Section(REQUESTED, _asked(client)),
        Section(PUSHES, _pushes(client, seen.silent, now_ms)),
        Section(WRONG, known_wrong(client.client_software_name, client.client_software_version)),
        Section("What it says of itself", facts_of(seen.metrics)),
        *_seen(seen, now_ms),
        Section(STEPS, steps),
    ]
    return [one for one in sections if one.sentences]


def story_of_silent(silent: SilentItem, seen: Sighting, now_ms: int) -> list[Section]:
    """The page of a client that has never pushed: brokers or observers know it, and the collector has no record."""
    reason = explained(silent.reason)
    sections = [
        _facts(
            ("Client id", "Its client id is {}.", silent.client_id),
            ("Instance id", "Its instance id is {}.", silent.client_instance_id),
            _library(silent.client_software_name, silent.client_software_version),
            ("Principal", "Brokers know it as {}.", silent.principal),
            ("Address", "It connects from {}.", silent.client_address),
            ("Seen by", "It was seen by {}.", _WITNESS[silent.seen_by]),
        ),
        Section(PUSHES, [f"It does not push, because {reason.because} ({silent.reason})."]),
        Section(WRONG, known_wrong(silent.client_software_name, silent.client_software_version)),
        *_seen(seen, now_ms),
        Section(STEPS, _remedies(silent, silent.client_id, silent.client_instance_id)),
    ]
    return [one for one in sections if one.sentences]


def _library(name: str | None, version: str | None) -> tuple[str, str, str]:
    """Return the fact of a client's library, which may announce none."""
    if name in {None, "unknown"}:
        return "Software", "Its library is {}.", "not known"
    return "Software", "It is {}.", f"{name} {version or 'unknown'}"


def story_of_connections(name: str, seen: Sighting, now_ms: int) -> list[Section]:
    """The page of a client that observers see and that has no record; `seen.silent` is what is said of its software."""
    first = seen.connections[0]
    who = _facts(
        ("Client id", "Its client id is {}.", first.client_id or name),
        _library(first.client_software_name, first.client_software_version),
        ("Principal", "Brokers know it as {}.", first.principal),
        ("Address", "It connects from {}.", first.client_address),
    )
    if seen.silent is None:
        pushes = ["It has pushed nothing, and neither brokers nor observers say why: no plugin reports, or not yet."]
        steps = ["See which brokers have the plugin: kwitness doctor"]
    else:
        reason = explained(seen.silent.reason)
        pushes = [f"It does not push; of its software that is because {reason.because} ({seen.silent.reason})."]
        steps = _remedies(seen.silent, first.client_id, None)
    sections = [
        who,
        Section(PUSHES, pushes),
        Section(WRONG, known_wrong(first.client_software_name, first.client_software_version)),
        *_seen(seen, now_ms),
        Section(STEPS, steps),
    ]
    return [section for section in sections if section.sentences]


def story_of_counts(name: str, seen: Sighting, now_ms: int) -> list[Section]:
    """The page of a client that has no record and no connection, of which something was counted."""
    sections = [
        _facts(("Client id", "Its client id is {}.", name)),
        Section(PUSHES, ["It has pushed nothing that is known, and it has no open connection."]),
        *_seen(seen, now_ms),
    ]
    return [section for section in sections if section.sentences]


def _seen(seen: Sighting, now_ms: int) -> list[Section]:
    return [
        Section(CONNECTIONS, _connections(seen.connections, now_ms)),
        Section("How its connections ended, since the collector counts", ends_of(seen.counted)),
        Section("Statistics of librdkafka, from interceptors", statistics_of(seen.counted)),
    ]


def _who(client: ClientItem, now_ms: int) -> Section:
    return _facts(
        ("Client id", "Its client id is {}.", client.client_id),
        ("Instance id", "Its instance id is {}.", client.client_instance_id),
        ("Software", "It is {}.", software_of(client)),
        ("Principal", "Brokers know it as {}.", client.principal),
        ("Address", "It connects from {}.", client.client_address),
        ("Pod", "Its pod is {}.", pod_of(client)),
        ("Made by", "It was made by {}.", client.k8s_workload if client.k8s_pod else None),
        ("Owner", "It belongs to {}.", owner_text(client)),
        ("Consumer group", "Its consumer group is {}.", client.group_id),
        ("Group instance id", "Its group instance id is {}.", client.group_instance_id),
        ("Member id", "Its member id is {}.", client.group_member_id),
        ("Transactional id", "Its transactional id is {}.", client.transactional_id),
        ("Streams application", "Its Kafka Streams application is {}.", client.application_id),
        ("Rack", "Its rack is {}.", client.client_rack),
        ("First heard from", "It was heard from first {}.", ago(client.first_seen_ms, now_ms)),
        ("Part of", "It is one of {}' own clients.", "kwitness" if client.ours else None),
    )


def _asked(client: ClientItem) -> list[str]:
    if client.effective is None and client.subscriptions:
        return [f"Subscriptions that match it: {_list(client.subscriptions)}."]
    if client.effective is None or not client.effective.metrics:
        return ["It is asked for nothing: no subscription matches it."]
    effective = client.effective
    metrics = "every metric" if "*" in effective.metrics else f"metrics that begin with {_list(effective.metrics)}"
    sentences = [f"It is asked for {metrics}, every {span(effective.interval_ms)}."]
    if len(effective.subscriptions) == 1:
        sentences.append(f"The broker's subscription {effective.subscriptions[0]} asks for it.")
    elif effective.subscriptions:
        sentences.append(
            f"The broker's subscriptions {_list(effective.subscriptions)} ask for it together: all their metrics, at "
            "the shortest of their intervals."
        )
    return sentences


def _pushes(client: ClientItem, silent: SilentItem | None, now_ms: int) -> list[str]:
    sentences = []
    pushed = ago(client.last_push_ms, now_ms)
    match state_of(client, now_ms):
        case "Pushing":
            known = f", with {len(client.metrics)} metrics known" if client.metrics else ""
            sentences.append(f"It pushes; its last push came {pushed}{known}.")
        case "Ended":
            sentences.append(f"It has ended: it sent its terminating push {pushed}.")
        case "Late":
            interval = interval_of(client)
            due = "" if interval is None else f", though a push is due every {span(interval)}"
            sentences.append(f"It has stopped to push without a terminating push: the last one came {pushed}{due}.")
        case "Unreadable":
            sentences.append("It pushes what cannot be read.")
        case "NotAsked":
            sentences.append(f"It need not push, since nothing asks it; its last push came {pushed}.")
        case "Silent":
            sentences.append("It is asked and has never pushed.")
    if client.malformed:
        reason = f": {client.malformed_reason}" if client.malformed_reason else ""
        sentences.append(f"{client.malformed} of its pushes could not be read{reason}.")
    if silent is not None:
        sentences.append(f"It is silent because {explained(silent.reason).because} ({silent.reason}).")
    return sentences


def next_step(client: ClientItem, state: ClientState) -> str:
    """What to do about a client in this state."""
    owner = owner_text(client)
    asking = f"Ask {owner} whether it still runs" if owner else "See whether its process still runs"
    name = client.client_id or client.client_instance_id or ""
    sentences: dict[ClientState, str] = {
        "Pushing": f"Watch its values: kwitness metrics {shlex.quote(name)} --watch",
        "Ended": "Nothing: it left in good order.",
        "Late": f"{asking}; a client that is killed sends no terminating push.",
        "Unreadable": as_sentence(explained("Malformed").remedy),
        "NotAsked": f"Ask it: {subscribe_line(client.client_id, client.client_instance_id)}",
        "Silent": as_sentence(explained("SubscribedNotPushing").remedy),
    }
    return sentences[state]


def _remedies(silent: SilentItem, client_id: str | None, instance: str | None) -> list[str]:
    sentences = [as_sentence(silent.detail or explained(silent.reason).remedy)]
    if silent.reason == "NoSubscriptionMatches":
        sentences.append(f"Ask it: {subscribe_line(client_id, instance)}")
    return sentences


def _connections(connections: Iterable[ConnectionItem], now_ms: int) -> list[str]:
    sentences = []
    for one in connections:
        pod = "/".join(part for part in (one.k8s_namespace, one.k8s_pod) if part)
        of_pod = f" of pod {pod}" if pod else ""
        unread = f", which cannot be read ({one.opaque})" if one.opaque else ""
        sentences.append(
            f"From {one.client_address or 'an unknown address'}{of_pod} to broker {one.broker_id or '?'}, open since "
            f"{ago(one.opened_at_ms, now_ms).removesuffix(' ago')}, through observer {one.observer}{unread}."
        )
    return sentences


def _facts(*facts: tuple[str, str, str | None]) -> Section:
    """Return the section of facts that have a value: labels, sentences with {} in its place, and values."""
    known = [Fact(label, value, sentence.format(value)) for label, sentence, value in facts if value]
    return Section(WHO, [fact.sentence for fact in known], known)


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
