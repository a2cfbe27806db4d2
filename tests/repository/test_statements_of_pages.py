"""Statements of pages about names, numbers and versions are compared with the place that decides them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from kwitness.answers.views.silence import REASONS
from kwitness.contracts.reasons import REASONS as OF_CONDITIONS
from kwitness.contracts.resources.analyses import JOB_TYPES
from kwitness.contracts.resources.ledger import HOPS
from kwitness.contracts.software_defects import may_crash_on_unknown_metrics
from kwitness.contracts.tables.software import ENTRIES as SOFTWARE
from kwitness.e2e.chart import KUBERNETES_VERSION
from kwitness.e2e.kafka.jars import KAFKA_VERSIONS, VERSIONS_BETWEEN
from kwitness.operator.desired import kafka_cluster_status

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


class Statement(NamedTuple):
    """A pattern in a page, and the text that it must find."""

    page: str
    pattern: str
    truth: Callable[[], object]
    """Of one match: a text or, of several groups, a tuple."""


def text(page: str) -> str:
    return (ROOT / page).read_text()


def least_kubernetes() -> str:
    version: str = yaml.safe_load(text("charts/kwitness/Chart.yaml"))["kubeVersion"]
    return version.removeprefix(">=").partition(".0-")[0]


def resources(folder: str) -> list[dict[str, Any]]:
    files = sorted((ROOT / "demo" / folder).glob("*.yaml"))
    return [body for file in files for body in yaml.safe_load_all(re.sub(r"\$\{\w+\}", "1", file.read_text()))]


def number_of(folder: str, kind: str) -> str:
    return NUMBERS[sum(body["kind"] == kind for body in resources(folder))]


def intercepted() -> list[str]:
    """The demo's programs that have interceptors, as pages name them."""
    marked = [
        body["metadata"]["name"]
        for body in resources("clients")
        if body["spec"]["template"]["metadata"]["labels"].get("intercepted") == "true"
    ]
    return sorted(" ".join((name.split("-")[0].title(), *name.split("-")[1:])) for name in marked)


def not_at_risk() -> str:
    """The first version of librdkafka that pushes and does not crash."""
    since = next(entry.pushes_since for entry in SOFTWARE if entry.name == "librdkafka")
    major, minor, patch = map(int, since.split("."))
    versions = (f"{major}.{minor}.{patch + more}" for more in range(20))
    return next(version for version in versions if not may_crash_on_unknown_metrics("librdkafka", version))


def idle_megabytes(digits: int, *programs: str) -> tuple[str, ...]:
    """Memory of programs with 1,000 idle connections, as benchmarks measured it."""
    measured = json.loads(text("bench/results/observer_memory.json"))["memory"]
    return tuple(f"{measured[program]['idle_mb']:.{digits}f}" for program in programs)


def of_types() -> str:
    return NUMBERS[len(JOB_TYPES)]


STATEMENTS = [
    Statement(
        "docs/guides/install.md",
        r"TELEMETRY the KafkaCluster reads `(\w+)` \(every broker",
        lambda: next(reason.status for reason in OF_CONDITIONS if reason.reason == "OnEveryBroker"),
    ),
    Statement(
        "docs/dev/glossary.md", r"\| hop \| [^:]*: (.*)\. \|", lambda: ", ".join(f"`{hop}`" for hop in HOPS.split(", "))
    ),
    Statement("README.md", r"container: (\w+) clients", lambda: number_of("clients", "Deployment")),
    Statement("README.md", r"and (\w+) Spark jobs", lambda: number_of("resources", "AnalyticsJob")),
    Statement("README.md", r"prepares for (\w+) analyses", of_types),
    Statement("README.md", r"librdkafka (\d[\d.]*\d),", not_at_risk),
    Statement(
        "README.md",
        r"Java (\d[\d.]*\d), librdkafka",
        lambda: next(entry.pushes_since for entry in SOFTWARE if entry.name == "apache-kafka-java").removesuffix(".0"),
    ),
    Statement("README.md", r"Kubernetes \|[^|]*\| (\d+\.\d+), one node", lambda: KUBERNETES_VERSION.rpartition(".")[0]),
    Statement("README.md", r"observer takes (\S+) MB", lambda: idle_megabytes(1, "kwitness")[0]),
    Statement("README.md", r"Envoy (\d+), Kroxylicious (\d+)", lambda: idle_megabytes(0, "Envoy", "Kroxylicious")),
    Statement(
        "docs/guides/ways-to-see-clients.md",
        r"GB; (\S+) MB with 1,000 idle connections",
        lambda: idle_megabytes(1, "kwitness")[0],
    ),
    Statement("docs/guides/install.md", r"There are \[(\w+) types\]", of_types),
    Statement("docs/tutorial.md", r"\n(\w+) programs in", lambda: number_of("clients", "Deployment").title()),
    Statement("docs/tutorial.md", r"the (\w+) \*\*AnalyticsJob\*\*", lambda: number_of("resources", "AnalyticsJob")),
    Statement(
        "docs/tutorial.md",
        r"The (Java|Python) (\w+) and the (Java|Python) (\w+) have interceptors",
        lambda: tuple(" ".join(reversed(intercepted())).split()),
    ),
    Statement(
        "docs/guides/interceptor-profiles.md",
        r"has one profile, for its (\w+) and its (\w+) consumer\.",
        lambda: tuple(name.removesuffix(" consumer") for name in reversed(intercepted())),
    ),
]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: f"{statement.page}: {statement.pattern[:40]}")
def test_a_statement_is_true(statement: Statement) -> None:
    assert re.findall(statement.pattern, text(statement.page)) == [statement.truth()]


def test_every_page_names_the_least_version_of_kubernetes() -> None:
    pages = {"README.md", *(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))}
    named = {page: re.findall(r"Kubernetes (?:\| )?(1\.\d+) (?:or|and) later", text(page)) for page in pages}

    assert {version for versions in named.values() for version in versions} == {least_kubernetes()}
    assert named["README.md"]
    assert named["docs/guides/install.md"]


def test_the_tutorial_lists_the_resources_of_the_demo() -> None:
    table = text("docs/tutorial.md").partition("\nCustom resources (status)\n")[2].partition("```")[0]
    listed = re.findall(r"^  ([A-Z]\w+) +(\S+) ", table, re.MULTILINE)
    kinds = {body["kind"]: body for body in resources("resources") if body["apiVersion"].startswith("kwitness.dev/")}

    own = [(body["kind"], body["metadata"]["name"]) for body in resources("resources") if body["kind"] in kinds]
    assert sorted(listed) == sorted(own)


def test_the_tutorial_gives_reasons_of_silence_as_they_are_printed() -> None:
    silent = r"^    silent: (.+?) (\d\S+) \(connections: (\d+)\): (.+)$"
    lines = re.findall(silent, text("docs/tutorial.md"), re.MULTILINE)
    counted = re.findall(r"^  (\S+) +(\d\S+) +\S+ +(\d+)\b", text("docs/tutorial.md"), re.MULTILINE)

    assert len(lines) == 1
    assert {because for *_, because in lines} <= {explanation.because for explanation in REASONS.values()}
    assert {tuple(line[:3]) for line in lines} <= set(counted)


def test_known_defects_are_those_that_the_operator_warns_of() -> None:
    has_known_defects = kafka_cluster_status._is_affected
    (sentence,) = re.findall(r"fixed in ([^.]+(?:\.\d[^.]*)+)\. The tests\nrun none", text("docs/compatibility.md"))
    fixed = re.findall(r"\d+\.\d+\.\d+", sentence)

    assert len(fixed) == 3
    for version in fixed:
        major, minor, patch = version.split(".")
        assert not has_known_defects(version)
        assert patch == "0" or has_known_defects(f"{major}.{minor}.{int(patch) - 1}")
    assert all(has_known_defects(version) for version in (*KAFKA_VERSIONS, *VERSIONS_BETWEEN))


def test_the_readme_lets_the_operator_read_the_secrets_of_the_kafkacluster() -> None:
    block = next(block for block in text("docs/guides/install.md").split("```yaml\n") if "kind: KafkaCluster" in block)
    spec = next(yaml.safe_load_all(block.partition("```")[0]))["spec"]
    (allowed,) = re.findall(r"operator\.secretNames\.kwitness=\{([^}]+)\}", text("README.md"))

    needed = {spec["tls"]["caSecretRef"]["name"], spec["authentication"]["secretRef"]["name"]}
    assert needed == set(allowed.split(","))
