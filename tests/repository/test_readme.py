"""What the README tells a newcomer to type is what the tests run."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from kwitness.devtools import prerequisites
from kwitness.e2e.kafka.jars import KAFKA_VERSIONS, VERSIONS_BETWEEN

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()


def test_its_three_commands_are_targets_and_demo_is_the_suites_entry_point() -> None:
    assert re.findall(r"^    (make [a-z-]+)$", README, re.MULTILINE) == ["make try", "make demo", "make test"]
    for target in ("try", "demo", "demo-down", "test", "images"):
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)
    assert "kwitness.demo up" in MAKEFILE
    assert "demo.require(" in (ROOT / "tests/e2e/conftest.py").read_text()
    assert "import PARTS" in (ROOT / "demo/src/kwitness/demo/run.py").read_text()


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 110


def test_it_names_what_is_needed_as_the_check_does() -> None:
    rows = re.findall(r"^\| `make ([a-z]+)` \| (.*) \|$", README, re.MULTILINE)
    assert [target for target, _ in rows] == ["try", "images", "demo", "test"]
    named = ""
    for target, needs in rows:
        named += needs  # each row adds to the one above
        for tool in prerequisites.TOOLS[target]:
            assert tool.name in named, f"{tool.name} for make {target}"


def test_the_gate_calls_make_test_and_nothing_else() -> None:
    commands = [line for line in (ROOT / ".ci/run").read_text().splitlines() if line.startswith("make")]

    assert commands == ["make test"]


def test_it_names_the_versions_that_the_chart_asks_for_and_the_tests_use() -> None:
    chart = yaml.safe_load((ROOT / "charts/kwitness/Chart.yaml").read_text())
    (kubernetes,) = re.findall(r"^\| Kubernetes \| (\S+) and later \|", README, re.MULTILINE)
    (brokers,) = re.findall(r"^\| Kafka brokers .* \| ([^|]+) \|$", README, re.MULTILINE)

    assert chart["kubeVersion"].startswith(f">={kubernetes}.")
    assert brokers == f"{', '.join(KAFKA_VERSIONS)}; the plugin also with {' and '.join(VERSIONS_BETWEEN)}"
