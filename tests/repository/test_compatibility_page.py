"""The page on what goes with what says what the chart asks for and what the tests run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

from kwitness.contracts.software import parse_version
from kwitness.e2e import chart, strimzi
from kwitness.e2e.kafka.jars import KAFKA_VERSIONS, VERSIONS_BETWEEN
from kwitness.sandbox.node_properties import reporter_class

from tests.interceptors_python.cpythons import NOT_YET_TRIED, TRIED
from tests.observer.client_programs import EVERY_CLIENT

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/compatibility.md").read_text()


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def test_kubernetes_is_what_the_chart_asks_for_and_what_the_node_is_built_of() -> None:
    manifest = yaml.safe_load((chart.CHART / "Chart.yaml").read_text())
    (least,) = re.findall(r"^\| least \| (\S+):", section("Kubernetes"), re.MULTILINE)
    (tested,) = re.findall(r"^\| tested \| (\S+),", section("Kubernetes"), re.MULTILINE)
    (built,) = re.findall(r"k8s\.io/kubernetes v(\S+)", (ROOT / "e2e/node/commands/go.mod").read_text())

    assert manifest["kubeVersion"].startswith(f">={least}.")
    assert tested == built == chart.KUBERNETES_VERSION


def test_brokers_are_those_of_the_tests_each_with_the_class_that_they_are_given() -> None:
    rows = re.findall(r"^\| (\d\S+) \| `(\w+)` \| ([^|]+) \|$", section("Kafka brokers"), re.MULTILINE)
    versions = sorted((*KAFKA_VERSIONS, *VERSIONS_BETWEEN))

    assert [row[:2] for row in rows] == [(version, reporter_class(version).rpartition(".")[2]) for version in versions]
    assert tuple(version for version, _, tested in rows if tested == "plugin") == VERSIONS_BETWEEN


def test_no_tested_broker_has_the_mend_of_the_defects_that_doctor_notes() -> None:
    mended = re.findall(r"(\d+)\.(\d+)\.(\d+)", PAGE.partition("fixed in ")[2])[:3]
    *in_lines, for_good = (tuple(map(int, version)) for version in mended)
    first = {version[:2]: version for version in in_lines}

    for text in (*KAFKA_VERSIONS, *VERSIONS_BETWEEN):
        version = parse_version(text) or (0, 0, 0)
        assert version < first.get(version[:2], for_good), f"{text} has it: take KnownDefects from doctor's notes"


def test_clients_are_those_that_the_tests_send_through_observers() -> None:
    assert set(re.findall(r"`([\w-]+-\d[\d.]*)`", section("Clients"))) == {client.name for client in EVERY_CLIENT}


def test_cpythons_of_interceptors_are_those_that_the_code_is_checked_for_and_the_tests_run() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    oldest = project["tool"]["ruff"]["per-file-target-version"]["services/interceptors-python/**"]
    least = oldest.replace("py3", "3.")
    own = project["project"]["requires-python"].removeprefix(">=")
    *others, last = sorted((own, *TRIED), key=lambda release: int(release.partition(".")[2]))
    tried = f"{', '.join(others)} and {last}"
    guides = ROOT / "docs/guides"

    assert least in TRIED
    assert f"need CPython {least} or later. The tests run them on {tried}, and on {NOT_YET_TRIED[0]} where" in PAGE
    assert f"| any, CPython {least} on; tried on {tried} |" in (guides / "interceptor-clients.md").read_text()
    assert f"| CPython {least} or later;" in (guides / "interceptor-profiles.md").read_text()


def test_strimzi_is_of_the_releases_that_the_guide_is_validated_against() -> None:
    assert tuple(re.findall(r"\d+\.\d+\.\d+", section("Strimzi"))) == tuple(one.version for one in strimzi.RELEASES)


def test_byte_code_is_what_is_compiled() -> None:
    def release(project: str) -> str:
        pom = (ROOT / "services" / project / "pom.xml").read_text()
        return re.findall(r"<maven\.compiler\.release>(\d+)<", pom)[0]

    assert f"broker plugin is\nJava {release('broker-plugin')}," in PAGE
    assert f"header library Java {release('headers-java')}." in PAGE
    assert release("interceptors-java") == release("headers-java")
