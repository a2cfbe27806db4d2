"""The release before is upgraded to these sources, rolled back and upgraded again, and nothing is lost or begun."""

from __future__ import annotations

from typing import Any

import pytest

from kwitness.contracts.resources import KINDS
from kwitness.devtools.release.release import REPOSITORY
from kwitness.e2e.kafka.local_broker import LocalBroker

from tests.operator.surroundings import broker_configs
from tests.upgrade.installation import Installation
from tests.upgrade.observed import Observed, differences
from tests.upgrade.snapshot import CHANGES, Snapshot

pytestmark = [pytest.mark.broker, pytest.mark.slow]


def observed(installation: Installation) -> Observed:
    return Observed.of_objects([*installation.resources(), *installation.children()])


def specs(installation: Installation) -> dict[str, Any]:
    return {resource["kind"]: resource["spec"] for resource in installation.resources()}


def test_a_release_leaves_a_resource_of_each_kind_with_status_children_and_configs_of_brokers(
    snapshot: Snapshot,
) -> None:
    assert {resource["kind"] for resource in snapshot.resources} == {kind.kind for kind in KINDS}
    assert all(resource["status"]["observedGeneration"] for resource in snapshot.resources)
    assert {"StatefulSet", "Deployment", "ConfigMap", "Service"} <= {child["kind"] for child in snapshot.children}
    assert snapshot.brokers


def test_an_upgrade_keeps_all_objects_and_pods_and_writes_nothing_to_brokers(
    installation: Installation, broker: LocalBroker, snapshot: Snapshot
) -> None:
    before, written = observed(installation), specs(installation)

    installation.install()
    installation.operate()

    upgraded = observed(installation)
    assert dict(upgraded.uids) == before.uids  # no object recreated, none more: a run would be one
    changed = {path for name, content in before.contents.items() for path in _paths(name, content, upgraded)}
    assert changed == set(CHANGES["contents"])
    assert specs(installation) == written
    assert broker_configs(broker) == snapshot.brokers

    installation.roll_back()

    assert observed(installation) == upgraded
    assert specs(installation) == written

    installation.install()
    installation.operate()

    assert observed(installation) == upgraded
    assert specs(installation) == written
    assert broker_configs(broker) == snapshot.brokers


def test_changes_are_in_the_changelog() -> None:
    changelog = [REPOSITORY / "CHANGELOG.md", *(REPOSITORY / "changelog").glob("*.md")]
    texts = [file.read_text(encoding="utf-8") for file in changelog]
    sentences = [sentence for paths in CHANGES.values() for sentence in paths.values()]
    assert [sentence for sentence in sentences if not any(sentence in text for text in texts)] == []


def _paths(name: str, content: Any, after: Observed) -> list[str]:
    return [f"{name}{path}" for path in differences(content, after.contents[name])]
