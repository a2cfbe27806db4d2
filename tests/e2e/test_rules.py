"""Each alert fires when it must and only then: its cases run through promtool, which the pod of Prometheus has."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import yaml

from kwitness.demo import up
from kwitness.demo.platform import NAMESPACE, PROMETHEUS, Platform
from kwitness.e2e import chart

from tests.chart.test_see_it import QUERIES, SILENT_AND_LOST
from tests.e2e.panels import cases, queries

pytestmark = pytest.mark.needs(up.charts)

ROOT = Path(__file__).resolve().parents[2]
RULES = sorted((chart.CHART / "rules").glob("*.yaml"))
DASHBOARDS = [
    chart.CHART / "dashboards" / f"{name}.json" for name in ("client-health", "in-the-client", "groups-and-lag")
]
"""Those about clients, whose panels are empty where all is well."""
FAILING_AND_BEHIND = [
    {
        "series": 'kafka_client_interceptor_anomalies_total{cluster_id="c", k8s_namespace="n", k8s_workload="w", '
        'topic="t", client_id="i", reason="checksum_mismatch"}',
        "values": "0+10x300",
    },
    {
        "series": 'kafka_client_group_committed_lag_records{cluster_id="c", topic="t", group_id="g"}',
        "values": "0+10x300",
    },
    {
        "series": 'kafka_client_group_committed_lag_seconds{cluster_id="c", topic="t", group_id="g"}',
        "values": "0+60x300",
    },
    {"series": 'kafka_client_group_commits_back_total{cluster_id="c", topic="t", group_id="g"}', "values": "0+10x300"},
    {"series": 'kafka_client_group_commits_back_records{cluster_id="c", topic="t", group_id="g"}', "values": "5x300"},
    {"series": 'kafka_client_api_requests_total{cluster_id="c", api="JoinGroup", client_id="i"}', "values": "0+10x300"},
]
"""Series of clients and groups that suffer in ways that are labels."""
CASES = sorted((ROOT / "tests" / "e2e" / "rules").glob("*.yaml"))
# The pod's root file system is read-only; Prometheus leaves folders alone that are no blocks of its data.
PROGRAM = """
set -e
folder=$(mktemp -d -p /prometheus)
trap 'rm -r "$folder"' EXIT
tar -x -C "$folder"
cd "$folder"
TMPDIR=$folder promtool test rules "$@" 2>&1
"""


def archive(*files: Path, further: Mapping[str, str] | None = None) -> str:
    """A tar file as text, with the paths that the files have in the checkout: cases name the rules by theirs.

    Parameters
    ----------
    further
        Texts of files that are not in the checkout, by their paths.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for file in files:
            tar.add(file, arcname=file.relative_to(ROOT))
        for name, text in (further or {}).items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return buffer.getvalue().decode()


def run(platform: Platform, names: Sequence[str], files: str) -> str:
    """What promtool says of files of cases."""
    shell = ("exec", "-i", f"deployment/{PROMETHEUS}", f"--namespace={NAMESPACE}", "--", "sh", "-c", PROGRAM, "sh")
    return platform.cluster.kubectl(*shell, *names, input=files)


def test_rules_fire_as_their_cases_say(platform: Platform) -> None:
    said = run(platform, [str(file.relative_to(ROOT)) for file in CASES], archive(*RULES, *CASES))

    assert said.count("SUCCESS") == len(CASES) > 0


def test_each_panel_about_clients_that_suffer_has_something_to_show(platform: Platform) -> None:
    asked = [query for dashboard in DASHBOARDS for _, query in queries(dashboard)]
    wanted = yaml.safe_dump(cases(asked, [str(file.relative_to(ROOT)) for file in RULES], FAILING_AND_BEHIND))

    said = run(platform, ["panels.yaml"], archive(*RULES, further={"panels.yaml": wanted}))

    assert said.count("SUCCESS") == 1


def test_each_question_of_the_guide_has_an_answer(platform: Platform) -> None:
    wanted = yaml.safe_dump(cases(QUERIES, [str(file.relative_to(ROOT)) for file in RULES], SILENT_AND_LOST))

    said = run(platform, ["questions.yaml"], archive(*RULES, further={"questions.yaml": wanted}))

    assert said.count("SUCCESS") == 1
