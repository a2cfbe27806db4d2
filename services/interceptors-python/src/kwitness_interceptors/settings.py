"""interceptors.json: what the operator, or whoever runs a program by hand, wants of the interceptors of a process.

Read by hand, for pydantic is not ours to bring. contracts/vectors/interceptor_settings.json has examples of what is
taken and what is refused, for every runtime.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import NamedTuple, Optional

from .header_rules import HeaderRules, parse_header_rules
from .settings_fields import Fields, SettingsError, matching

__all__ = [
    "Collector",
    "Entry",
    "IdentitySettings",
    "Limits",
    "Settings",
    "SettingsError",
    "Stamp",
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
    "Headers": (),
    "Stamp": ("stamps",),
    "Tracing": ("header",),
    "Checksum": ("header",),
}
_IDENTITY_KEY = re.compile(r"client_id|group_id|group_instance_id|transactional_id")
_SOURCES = ("ClientId", "ClusterId", "Pod", "Namespace", "Workload", "UniqueId", "Value", "Attribute")
_WITH_VALUE = frozenset({"Value", "Attribute"})
_CHECKSUM_HEADER = "kwitness.checksum"
_LONGEST_KEY = 128
_PROTOCOLS = frozenset(("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"))
_WINDOW_MS = (1_000, 3_600_000)


class Stamp(NamedTuple):
    """A header that records get; `value` is the text of Value, and of Attribute the name of one of the attributes."""

    key: str
    source: str
    value: Optional[str] = None


class Entry(NamedTuple):
    """One interceptor.

    `window_ms` is that of Cardinality, `class_name` and `settings` those of Custom, `stamps` those of Stamp, `header`
    that of Tracing or Checksum.
    """

    name: str
    type: str
    window_ms: int = 60_000
    class_name: str = ""
    settings: Mapping[str, str] = {}
    stamps: tuple[Stamp, ...] = ()
    header: Optional[str] = None


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


class IdentitySettings(NamedTuple):
    """Identity keys that are not reported as they are; `key_file` has the key of hashes."""

    drop: frozenset[str] = frozenset()
    hash: frozenset[str] = frozenset()
    key_file: Optional[str] = None


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
    headers: Optional[HeaderRules] = None
    identity: Optional[IdentitySettings] = None
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
    data = Fields(given, "the file", Settings._fields[:-1])
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
        topics=tuple(matching(one, _TOPIC, "topics", 249) for one in data.list("topics", 0, 64)),
        window_ms=data.number("window_ms", 10_000, *_WINDOW_MS),
        limits=_limits(data.given.get("limits", {})),
        attributes=_texts(data.given.get("attributes", {}), "attributes", 16, 63, _ATTRIBUTE),
        workload=_workload(data.given.get("workload")),
        through_observer=_through_observer(data.given.get("through_observer")),
        headers=parse_header_rules(data.given.get("headers")),
        identity=_identity(data.given.get("identity")),
        hash=settings_hash(text),
    )


def settings_hash(text: str) -> str:
    """Return the hash by which a process names the file that it runs: 16 hex digits of SHA-256 over its bytes."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_selected(topic: str, topics: tuple[str, ...]) -> bool:
    """Return whether `topic` is one of those that settings include; all are where there are none."""
    return not topics or any(topic.startswith(one[:-1]) if one.endswith("*") else topic == one for one in topics)


def _entry(given: object, place: str) -> Entry:
    kind = given.get("type") if isinstance(given, dict) else None
    if kind not in _TYPES:
        raise SettingsError(f"{place}: type is {kind!r}; it must be one of {', '.join(_TYPES)}")
    fields = Fields(given, place, ("name", "type", *_TYPES[kind]))
    name = fields.text("name", _LABEL, 63)
    if kind == "Cardinality":
        return Entry(name, kind, fields.number("window_ms", 60_000, *_WINDOW_MS))
    if kind == "Custom":
        class_name = fields.text("class_name", _CLASS, 255)
        return Entry(
            name, kind, 60_000, class_name, _texts(fields.given.get("settings", {}), "settings", 64, 1024, None)
        )
    if kind == "Stamp":
        stamps = tuple(_stamp(one, f"{place}.stamps[{at}]") for at, one in enumerate(fields.list("stamps", 1, 32)))
        if len({one.key for one in stamps}) < len(stamps):
            raise SettingsError(f"{place}.stamps: two of them have the same key; each needs its own")
        return Entry(name, kind, stamps=stamps)
    if kind == "Tracing":
        header = fields.given.get("header")
        return Entry(name, kind, header=None if header is None else matching(header, None, "header", _LONGEST_KEY))
    if kind == "Checksum":
        header = fields.given.get("header", _CHECKSUM_HEADER)
        return Entry(name, kind, header=matching(header, None, "header", _LONGEST_KEY))
    return Entry(name, kind)


def _stamp(given: object, place: str) -> Stamp:
    fields = Fields(given, place, ("key", "from", "value"))
    source, value = fields.one_of("from", _SOURCES), fields.given.get("value")
    if (value is not None) != (source in _WITH_VALUE):
        raise SettingsError(f"{place}: value is for Value and Attribute, which need it")
    return Stamp(
        fields.text("key", None, _LONGEST_KEY),
        source,
        None if value is None else matching(value, None, "value", 1_024),
    )


def _limits(given: object) -> Limits:
    fields = Fields(given, "limits", Limits._fields)
    return Limits(
        fields.number("topics", 32, 1, 1_024),
        fields.number("partitions", 256, 1, 1_024),
        fields.number("clients", 256, 1, 4_096),
        fields.number("queue_bytes", 1_048_576, 65_536, 67_108_864),
    )


def _collector(given: object) -> Optional[Collector]:
    if given is None:
        return None
    fields = Fields(given, "collector", ("url", "replicas", "ca_file", "token_file"))
    fields.required("replicas")
    ca_file = fields.given.get("ca_file")
    return Collector(
        fields.text("url", None, 2_048),
        fields.number("replicas", 1, 1, 1_024),
        fields.text("token_file", None, 4_096),
        None if ca_file is None else matching(ca_file, None, "ca_file", 4_096),
    )


def _workload(given: object) -> Optional[Mapping[str, str]]:
    if given is None:
        return None
    fields = Fields(given, "workload", ("kind", "name"))
    return {"kind": fields.text("kind", None, 63), "name": fields.text("name", None, 253)}


def _through_observer(given: object) -> Optional[ThroughObserver]:
    if given is None:
        return None
    fields = Fields(given, "through_observer", ThroughObserver._fields)
    servers = fields.given.get("bootstrap_servers")
    protocols = fields.given.get("protocols", {})
    if not isinstance(protocols, dict) or not _PROTOCOLS.issuperset((*protocols, *protocols.values())):
        raise SettingsError(f"protocols is {protocols!r}: it must be an object with {', '.join(sorted(_PROTOCOLS))}")
    return ThroughObserver(
        None if servers is None else matching(servers, None, "bootstrap_servers", 128),
        frozenset(matching(one, None, "addresses", 320) for one in fields.list("addresses", 0, 256)),
        protocols,
    )


def _identity(given: object) -> Optional[IdentitySettings]:
    if given is None:
        return None
    fields = Fields(given, "identity", IdentitySettings._fields)
    dropped, hashed = (
        frozenset(matching(key, _IDENTITY_KEY, f"identity.{name}", 64) for key in fields.list(name, 0, 4))
        for name in ("drop", "hash")
    )
    if dropped & hashed:
        raise SettingsError(f"identity.hash has {min(dropped & hashed)}, which drop has as well: name each key once")
    file = fields.given.get("key_file")
    if (file is not None) != bool(hashed):
        raise SettingsError("identity.key_file goes with hash, and only with it: add or remove one of them")
    return IdentitySettings(dropped, hashed, None if file is None else matching(file, None, "identity.key_file", 4_096))


def _texts(given: object, place: str, most: int, longest: int, keys: Optional[re.Pattern[str]]) -> Mapping[str, str]:
    if not isinstance(given, dict) or len(given) > most:
        raise SettingsError(f"{place} must be an object with {most} fields at most")
    for key, value in given.items():
        matching(key, keys, f"a key of {place}", 128)
        if not isinstance(value, str) or len(value) > longest:
            raise SettingsError(f"{place}.{key} must be text of {longest} characters at most")
    return given
