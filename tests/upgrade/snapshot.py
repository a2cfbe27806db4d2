"""Keeps and restores what a release left: its chart, resources with their status, children, and configs of brokers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import yaml

from kwitness.e2e.api_objects import ApiObjects
from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.operator.adapters.kubernetes import FIELD_MANAGER

from tests.operator.surroundings import alter_broker, broker_configs
from tests.upgrade.installation import Installation
from tests.upgrade.owned_fields import applied_by

__all__ = ["CHANGES", "RELEASES", "Snapshot"]

RELEASES: Final = Path(__file__).parent / "releases"
CHANGES: Final = yaml.safe_load(Path(__file__).with_name("changes.yaml").read_text(encoding="utf-8"))
"""Differences from the release before that the changelog names."""
_FILE: Final = "left.yaml"


class Snapshot(NamedTuple):
    """Objects that a release left; `folder` is below `RELEASES`, and named after its version."""

    folder: Path
    resources: list[dict[str, Any]]
    children: list[dict[str, Any]]
    brokers: dict[str, dict[str, str]]

    @property
    def chart(self) -> Path:
        """The package of its chart."""
        return self.folder / f"kwitness-{self.folder.name}.tgz"

    @classmethod
    def latest(cls) -> Self:
        """Return that of the release before the sources; others are not kept."""
        [folder] = RELEASES.iterdir()
        return cls(folder, **yaml.safe_load((folder / _FILE).read_text(encoding="utf-8")))

    @classmethod
    def from_installation(cls, folder: Path, installation: Installation, broker: LocalBroker) -> Self:
        """Return what an installation left."""
        resources = [_written(resource) for resource in installation.resources()]
        children = [applied_by(child, FIELD_MANAGER) for child in installation.children()]
        return cls(folder, resources, children, broker_configs(broker))

    def save(self) -> None:
        """Write it into its folder, where the chart is."""
        left = {"resources": self.resources, "children": self.children, "brokers": self.brokers}
        (self.folder / _FILE).write_text(yaml.safe_dump(left, sort_keys=False, width=120), encoding="utf-8")

    def restore(self, server: ApiServer, broker: LocalBroker) -> None:
        """Make all of it again; resources get new uids, and children the uids of their owners."""
        for resource in self.resources:
            server.objects.apply({name: value for name, value in resource.items() if name != "status"})
            self._patch_status(server, resource)
        operator = ApiObjects(server.request, field_manager=FIELD_MANAGER)
        for child in self.children:
            metadata = child["metadata"]
            owners = [{**owner, "uid": _uid(server, owner, metadata)} for owner in metadata["ownerReferences"]]
            operator.apply({**child, "metadata": {**metadata, "ownerReferences": owners}})
        for name, configs in self.brokers.items():
            alter_broker(broker, name, configs)

    @staticmethod
    def _patch_status(server: ApiServer, resource: dict[str, Any]) -> None:
        metadata = resource["metadata"]
        change = {"status": resource["status"]}
        server.objects.patch(resource["kind"], metadata["name"], metadata["namespace"], change, subresource="status")


def _uid(server: ApiServer, owner: dict[str, Any], child: dict[str, Any]) -> str:
    uid: str = server.objects.get(owner["kind"], owner["name"], child["namespace"])["metadata"]["uid"]
    return uid


def _written(resource: dict[str, Any]) -> dict[str, Any]:
    metadata = resource["metadata"]
    kept = [name for name in ("name", "namespace", "labels", "annotations", "finalizers") if name in metadata]
    return {**resource, "metadata": {name: metadata[name] for name in kept}}
