"""Brokers of tests start from what was prepared once: a copy of formatted storage, and an archive of classes."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Final

import pytest

from kwitness.e2e.kafka.jars import KAFKA_VERSIONS
from kwitness.e2e.kafka.prepared import archive_options, classpath, format_storage
from kwitness.sandbox.java import java_program
from kwitness.sandbox.node_properties import random_id
from kwitness.sandbox.waiting import run_to_end

pytestmark = pytest.mark.broker

NEWEST: Final = KAFKA_VERSIONS[-1]


def test_a_server_reads_classes_from_the_archive_also_where_a_plugin_is_on_its_class_path(tmp_path: Path) -> None:
    plugin, log = tmp_path / "plugin.jar", tmp_path / "classes.log"
    with zipfile.ZipFile(plugin, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    options = (*archive_options(NEWEST), f"-Xlog:class+load:file={log}")
    command = [java_program(), *options, "-cp", os.pathsep.join(classpath(NEWEST, plugin)), "kafka.Kafka"]

    done = run_to_end(command)

    assert "server.properties" in done.stdout + done.stderr  # its usage, as it was given none
    assert "kafka.Kafka source: shared objects file (top)" in log.read_text()


def test_nodes_have_the_same_first_records_and_ids_of_their_own(tmp_path: Path) -> None:
    cluster = random_id()
    folders = [tmp_path / str(node) for node in (1, 2)]
    for node, folder in enumerate(folders, 1):
        format_storage(folder, NEWEST, node_id=node, cluster_id=cluster, users={"alice": "alice-secret"})

    first, second = (dict(line.split("=", 1) for line in _lines(folder / "meta.properties")) for folder in folders)
    assert (first["node.id"], second["node.id"]) == ("1", "2")
    assert first["cluster.id"] == second["cluster.id"] == cluster
    assert first["directory.id"] != second["directory.id"]
    records = {(folder / "bootstrap.checkpoint").read_bytes() for folder in folders}
    assert len(records) == 1
    assert b"alice" in records.pop()


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines()
