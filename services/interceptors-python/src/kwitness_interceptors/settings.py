"""interceptors.json: what the operator, or whoever runs a program by hand, wants of the interceptors of a process.

Read by hand, for pydantic is not ours to bring. contracts/vectors/interceptor_settings.json has examples of what is
taken and what is refused, for every runtime.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

__all__ = [
    "Collector",
    "Entry",
    "Limits",
    "Settings",
    "SettingsError",
    "ThroughObserver",
    "is_selected",
    "parse_settings",
    "settings_hash",
]

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_ATTRIBUTE = re.compile(r"[a-z][a-z0-9_]*")
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}|[A-Za-z0-9._-]{0,248}\*")
_CLASS = re.compile(r"[A-Za-z_][A-Za-z0-9_.$]*(:[A-Za-z_][A-Za-z0-9_]*)?")
_TYPES = {
    "Audit": (),
    "Latency": (),
    "Sizes": (),
    "Cardinality": ("window_ms",),
    "Stats": (),
    "Custom": ("class_name", "settings"),
}
_PROTOCOLS = frozenset(("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"))
_WINDOW_MS = (1_000, 3_600_000)


class SettingsError(ValueError):
    """The file cannot be used; names the field, what is wrong, and what is right."""


class Entry(NamedTuple):
    """One interceptor; `window_ms` is that of Cardinality, `class_name` and `settings` those of Custom."""

    name: str
    type: str
    window_ms: int = 60_000
    class_name: str = ""
    settings: Mapping[str, str] = {}


class Limits(NamedTuple):
    """Bounds of one process."""

    topics: int = 32
    partitions: int = 256
    clients: int = 256
    queue_bytes: int = 1_048_576


class Collector(NamedTuple):
    """Where rows go: `url` holds ``{ordinal}``."""

    url: str
    replicas: int
    token_file: str
    ca_file: Optional[str] = None


class ThroughObserver(NamedTuple):
    """How clients connect to the observer of their pod; `bootstrap_servers` is None where it has none for them."""

    bootstrap_servers: Optional[str] = None
    addresses: frozenset[str] = frozenset()
    protocols: Mapping[str, str] = {}


class Settings(NamedTuple):
    """Everything the interceptors of one process need to know."""

    installation: str
    cluster_id: str
    namespace: str
    name: str
    suspend: bool
    interceptors: tuple[Entry, ...]
    collector: Optional[Collector]
    topics: tuple[str, ...] = ()
    window_ms: int = 10_000
    limits: Limits = Limits()
    attributes: Mapping[str, str] = {}
    workload: Optional[Mapping[str, str]] = None
    through_observer: Optional[ThroughObserver] = None
    hash: str = ""


def parse_settings(text: str) -> Settings:
    """Read the file's text.

    Raises
    ------
    SettingsError
        It is no JSON, or a field is missing, unknown or not as it must be.
    """
    try:
        given = json.loads(text)
    except ValueError as error:
        raise SettingsError(f"the file is no JSON ({error}): write it again") from error
    data = _Fields(given, "the file", Settings._fields[:-1])
    interceptors = tuple(_entry(one, f"interceptors[{at}]") for at, one in enumerate(data.list("interceptors", 1, 16)))
    if len({one.name for one in interceptors}) < len(interceptors):
        raise SettingsError("interceptors: two of them have the same name; each needs its own")
    return Settings(
        installation=data.text("installation", _NAME, 253),
        cluster_id=data.text("cluster_id", None, 64),
        namespace=data.text("namespace", _LABEL, 63),
        name=data.text("name", _NAME, 253),
        suspend=data.flag("suspend"),
        interceptors=interceptors,
        collector=_collector(data.required("collector")),
        topics=tuple(_matching(one, _TOPIC, "topics", 249) for one in data.list("topics", 0, 64)),
        window_ms=data.number("window_ms", 10_000, *_WINDOW_MS),
        limits=_limits(data.given.get("limits", {})),
        attributes=_texts(data.given.get("attributes", {}), "attributes", 16, 63, _ATTRIBUTE),
        workload=_workload(data.given.get("workload")),
        through_observer=_through_observer(data.given.get("through_observer")),
        hash=settings_hash(text),
    )


def settings_hash(text: str) -> str:
    """Return the hash by which a process names the file that it runs: 16 hex digits of SHA-256 over its bytes."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_selected(topic: str, topics: tuple[str, ...]) -> bool:
    """Return whether `topic` is one of those that settings include; all are where there are none."""
    return not topics or any(topic.startswith(one[:-1]) if one.endswith("*") else topic == one for one in topics)


class _Fields:
    """An object of the file, whose fields are all known."""

    def __init__(self, given: object, place: str, known: tuple[str, ...]) -> None:
        if not isinstance(given, dict):
            raise SettingsError(f"{place} is {type(given).__name__}: it must be an object")
        unknown = sorted(set(given) - set(known))
        if unknown:
            raise SettingsError(f"{place} has the unknown field {unknown[0]}: correct or remove it")
        self.given: dict[str, Any] = given
        self._place = place

    def required(self, name: str) -> Any:
        if name not in self.given:
            raise SettingsError(f"{self._place} has no {name}: add it")
        return self.given[name]

    def text(self, name: str, pattern: Optional[re.Pattern[str]], longest: int) -> str:
        return _matching(self.required(name), pattern, name, longest)

    def flag(self, name: str) -> bool:
        value = self.required(name)
        if not isinstance(value, bool):
            raise SettingsError(f"{name} is {value!r}: it must be true or false")
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        value = self.given.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise SettingsError(f"{name} is {value!r}: it must be a whole number from {least} to {most}")
        return value

    def list(self, name: str, least: int, most: int) -> list[Any]:
        value = self.required(name) if least else self.given.get(name, [])
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise SettingsError(f"{name} must be a list of {least} to {most}")
        return value


def _entry(given: object, place: str) -> Entry:
    kind = given.get("type") if isinstance(given, dict) else None
    if kind not in _TYPES:
        raise SettingsError(f"{place}: type is {kind!r}; it must be one of {', '.join(_TYPES)}")
    fields = _Fields(given, place, ("name", "type", *_TYPES[kind]))
    name = fields.text("name", _LABEL, 63)
    if kind == "Cardinality":
        return Entry(name, kind, fields.number("window_ms", 60_000, *_WINDOW_MS))
    if kind == "Custom":
        class_name = fields.text("class_name", _CLASS, 255)
        return Entry(
            name, kind, 60_000, class_name, _texts(fields.given.get("settings", {}), "settings", 64, 1024, None)
        )
    return Entry(name, kind)


def _limits(given: object) -> Limits:
    fields = _Fields(given, "limits", Limits._fields)
    return Limits(
        fields.number("topics", 32, 1, 1_024),
        fields.number("partitions", 256, 1, 1_024),
        fields.number("clients", 256, 1, 4_096),
        fields.number("queue_bytes", 1_048_576, 65_536, 67_108_864),
    )


def _collector(given: object) -> Optional[Collector]:
    if given is None:
        return None
    fields = _Fields(given, "collector", ("url", "replicas", "ca_file", "token_file"))
    fields.required("replicas")
    ca_file = fields.given.get("ca_file")
    return Collector(
        fields.text("url", None, 2_048),
        fields.number("replicas", 1, 1, 1_024),
        fields.text("token_file", None, 4_096),
        None if ca_file is None else _matching(ca_file, None, "ca_file", 4_096),
    )


def _workload(given: object) -> Optional[Mapping[str, str]]:
    if given is None:
        return None
    fields = _Fields(given, "workload", ("kind", "name"))
    return {"kind": fields.text("kind", None, 63), "name": fields.text("name", None, 253)}


def _through_observer(given: object) -> Optional[ThroughObserver]:
    if given is None:
        return None
    fields = _Fields(given, "through_observer", ThroughObserver._fields)
    servers = fields.given.get("bootstrap_servers")
    protocols = fields.given.get("protocols", {})
    if not isinstance(protocols, dict) or not _PROTOCOLS.issuperset((*protocols, *protocols.values())):
        raise SettingsError(f"protocols is {protocols!r}: it must be an object with {', '.join(sorted(_PROTOCOLS))}")
    return ThroughObserver(
        None if servers is None else _matching(servers, None, "bootstrap_servers", 128),
        frozenset(_matching(one, None, "addresses", 320) for one in fields.list("addresses", 0, 256)),
        protocols,
    )


def _texts(given: object, place: str, most: int, longest: int, keys: Optional[re.Pattern[str]]) -> Mapping[str, str]:
    if not isinstance(given, dict) or len(given) > most:
        raise SettingsError(f"{place} must be an object with {most} fields at most")
    for key, value in given.items():
        _matching(key, keys, f"a key of {place}", 128)
        if not isinstance(value, str) or len(value) > longest:
            raise SettingsError(f"{place}.{key} must be text of {longest} characters at most")
    return given


def _matching(value: object, pattern: Optional[re.Pattern[str]], place: str, longest: int) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= longest:
        raise SettingsError(f"{place} is {value!r}: it must be text of 1 to {longest} characters")
    if pattern is not None and pattern.fullmatch(value) is None:
        raise SettingsError(f"{place} is {value!r}: it must match {pattern.pattern}")
    return value
