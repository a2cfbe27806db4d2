"""What somebody should look at before brokers are upgraded: who breaks, who may, and who was not observed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F  # noqa: N812 - the name that everybody knows

from kwitness.contracts.kafka_releases import KNOWN_APIS, dropped_by, reaches
from kwitness.contracts.resources.meta import parse_duration
from kwitness.contracts.software import OUR_CLIENT_ID_PREFIX, OUR_VERSION_SUFFIX
from kwitness.jobs.analyses.upgrade_impact.schema import CLIENT, CONNECTION, REQUEST, SOFTWARE
from kwitness.jobs.frame.findings import MAX_EXAMPLES, Finding, Findings
from kwitness.jobs.frame.job import JobInput
from kwitness.jobs.frame.moments import in_milliseconds, to_the_minute
from kwitness.jobs.frame.owner_names import OwnerNames

BREAKS = "Breaks"
MAY_BREAK = "MayBreak"
UNKNOWN = "Unknown"
UNOBSERVED = "Unobserved"

_BY_SOFTWARE = (MAY_BREAK, UNKNOWN, UNOBSERVED)
_SOFTWARE = ("client_software_name", "client_software_version")
_UNANNOUNCED = "unknown"
#: Of what a client calls itself; versions of APIs that a message names.
_MAX_NAME = 100
_MAX_NAMED = 12
_MAX_SUBJECT = 512
_MAX_MESSAGE = 1024


class Clients(NamedTuple):
    """Clients of one software of whom no observer saw a request that can be judged, or who were only counted.

    Attributes
    ----------
    by
        How they are known: `request` (an observer saw requests, and cannot tell which), `connection`, or `software`
        (brokers count them; then `clients` is 1).
    """

    by: str
    name: str | None
    version: str | None
    clients: int


def findings(table: DataFrame, job_input: JobInput, now_ms: int) -> Findings:
    """Clients that break, those with most requests first; what may break, and what is unknown, by software."""
    target = job_input.parameters.target
    since = now_ms - in_milliseconds(parse_duration(job_input.parameters.used_within))
    ours = F.coalesce(F.col("client_software_version").endswith(OUR_VERSION_SUFFIX), F.lit(False))
    for name in ("client_id", "client_software_name"):
        ours |= F.coalesce(F.col(name).startswith(OUR_CLIENT_ID_PREFIX), F.lit(False))
    present = table.where((F.col("last_seen_ms") >= since) & ~ours)
    # A row for each client; all that follows is of those.
    clients = _clients(present, target).persist()
    try:
        by_software = _by_software(clients)
        counted = sum(row["breaking"] for row in by_software)
        breaking = clients.where("breaks").orderBy(F.desc("lost_requests"), *CLIENT).limit(MAX_EXAMPLES)
        owners = OwnerNames(job_input.owners, now_ms)
        found = [_breaks(row.asDict(), owners, target) for row in breaking.collect()] if counted else []
    finally:
        clients.unpersist()
    judged = judge(_unseen(by_software, present), target)
    counts = {BREAKS: counted} | {kind: sum(clients.clients for clients in judged[kind]) for kind in _BY_SOFTWARE}
    for kind in _BY_SOFTWARE:
        found += [_unseen_finding(kind, one, target) for one in judged[kind][: MAX_EXAMPLES - len(found)]]
    return Findings(counts, tuple(found))


def judge(unseen: Iterable[Clients], target: Any) -> Mapping[str, list[Clients]]:
    """Return which may break, which are unknown and which are sound by their software alone, largest numbers first.

    A request that cannot be judged is unknown, whatever the software: a client can be configured to use old versions.
    """
    judged: dict[str, list[Clients]] = {kind: [] for kind in _BY_SOFTWARE}
    kinds = {"mayNot": MAY_BREAK, "yes": UNOBSERVED}
    for several in unseen:
        answer = reaches(several.name or _UNANNOUNCED, several.version or _UNANNOUNCED, target)
        judged[UNKNOWN if several.by == REQUEST else kinds.get(answer, UNKNOWN)].append(several)
    for found in judged.values():
        found.sort(key=lambda one: (-one.clients, one.name or "", one.version or "", one.by))
    return judged


def _clients(present: DataFrame, target: Any) -> DataFrame:
    """A row for each client: `breaks`, by what and how much; `seen`: requests were; `unclear`: not which."""
    of_client = present.where(F.col("kind") != SOFTWARE)
    dropped = sorted(f"{api}/{version}" for api, version in dropped_by(target))
    used = F.concat(F.col("api"), F.lit("/"), F.col("api_version"))
    is_dropped = F.coalesce(used.isin(dropped), F.lit(False)) if dropped else F.lit(False)
    is_request = F.col("kind") == REQUEST
    cannot_tell = is_request & (F.col("api_version").isNull() | ~F.col("api").isin(sorted(KNOWN_APIS)))
    return of_client.groupBy(*CLIENT).agg(
        F.bool_or(is_dropped).alias("breaks"),
        F.bool_or(is_request).alias("seen"),
        F.bool_or(cannot_tell).alias("unclear"),
        F.sum(F.when(is_dropped, F.col("requests")).cast("decimal(38,0)")).alias("lost_requests"),
        F.max(F.when(is_dropped, F.col("last_seen_ms"))).alias("lost_ms"),
        F.array_sort(F.collect_set(F.when(is_dropped, F.struct("api", "api_version")))).alias("lost"),
    )


def _by_software(clients: DataFrame) -> list[Row]:
    """How many clients of each software break, and how many others have no evidence or none that can be judged."""
    sound = ~F.col("breaks")
    counts = {
        "breaking": F.col("breaks"),
        CONNECTION: sound & ~F.col("seen"),
        REQUEST: sound & F.col("unclear"),
    }
    counted = (F.count(F.when(which, 1)).alias(name) for name, which in counts.items())
    return clients.groupBy(*_SOFTWARE).agg(*counted).collect()


def _unseen(by_software: Iterable[Row], present: DataFrame) -> list[Clients]:
    """Clients without evidence, and software that brokers counted and no observer saw."""
    seen = {(row[_SOFTWARE[0]], row[_SOFTWARE[1]]): row for row in by_software}
    counted = present.where(F.col("kind") == SOFTWARE).select(*_SOFTWARE).distinct().collect()
    found = [Clients(by, *named, row[by]) for named, row in seen.items() for by in (CONNECTION, REQUEST) if row[by]]
    return found + [Clients(SOFTWARE, row[0], row[1], 1) for row in counted if tuple(row) not in seen]


def _breaks(row: Mapping[str, Any], owners: OwnerNames, target: str) -> Finding:
    owner = owners.of_client(row)
    tell = "nobody's by the owners of the KafkaCluster" if owner is None else f"tell {owner}"
    message = (
        f"used what brokers of Kafka {target} do not answer: {versions(row['lost'])}; {row['lost_requests']} requests, "
        f"the last {to_the_minute(row['lost_ms'])}; {tell}: its library must be newer, or be told to use newer "
        "versions, before the brokers are upgraded"
    )
    return Finding(BREAKS, _subject(row), message[:_MAX_MESSAGE])


def versions(used: Iterable[Mapping[str, Any]]) -> str:
    """Versions of APIs in words, such as `Fetch 2, 3`."""
    of_api: dict[str, list[int]] = {}
    for one in used:
        of_api.setdefault(one["api"], []).append(one["api_version"])
    words = [f"{api} {', '.join(map(str, sorted(several)))}" for api, several in sorted(of_api.items())]
    more = f" and of {len(words) - _MAX_NAMED} more APIs" if len(words) > _MAX_NAMED else ""
    return "; ".join(words[:_MAX_NAMED]) + more


def _unseen_finding(kind: str, one: Clients, target: str) -> Finding:
    how = {
        REQUEST: f"{one.clients} clients whose requests could not be told apart",
        CONNECTION: f"{one.clients} clients that connected through an observer, of whom it saw no request",
        SOFTWARE: "software that brokers counted and no observer saw",
    }[one.by]
    why = {
        MAY_BREAK: f"versions of this age are not known to speak what Kafka {target} answers",
        UNKNOWN: f"whether Kafka {target} answers them is not known",
        UNOBSERVED: f"versions of this age speak what Kafka {target} answers, unless configured to use older requests",
    }[kind]
    message = f"{how}: {why}. An observer before them tells what they use"
    return Finding(kind, _software(one.name, one.version), message)


def _software(name: str | None, version: str | None) -> str:
    return "/".join((part or _UNANNOUNCED)[:_MAX_NAME] for part in (name, version))


def _subject(row: Mapping[str, Any]) -> str:
    place = "/".join(str(row[name])[:_MAX_NAME] for name in ("k8s_namespace", "k8s_workload") if row[name])
    names = (str(row[name])[:_MAX_NAME] for name in ("principal", "client_id") if row[name])
    software = _software(row["client_software_name"], row["client_software_version"])
    words = (*names, software, *((f"in {place}",) if place else ()))
    return " ".join(words)[:_MAX_SUBJECT]
