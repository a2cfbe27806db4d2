"""Strimzi's custom resource definitions, made by Strimzi's own generator from its classes on Maven Central.

They are made once per content of their project file and kept in the user's cache. Nothing of Strimzi runs here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kwitness.images.cache import cached_folder, content_key
from kwitness.images.commands import run

_POMS = Path(__file__).resolve().parents[3] / "strimzi"
_CLASSES: Final = {
    "kafkas": "io.strimzi.api.kafka.model.kafka.Kafka",
    "kafkanodepools": "io.strimzi.api.kafka.model.nodepool.KafkaNodePool",
    "kafkatopics": "io.strimzi.api.kafka.model.topic.KafkaTopic",
    "kafkausers": "io.strimzi.api.kafka.model.user.KafkaUser",
}


@dataclass(frozen=True)
class Release:
    """A release of Strimzi, and the least Java that its generator runs on."""

    version: str
    java: int


RELEASES: Final = (Release("0.51.0", 17), Release("1.2.0", 21))
"""Those that our manifests are validated against, oldest first; the first needs no other Java than everything else."""


def definitions(release: Release, java: Path) -> Path:
    """The folder with a CustomResourceDefinition in each file.

    Parameters
    ----------
    java
        The program, of the release's least version or later; see `find_java`.

    Raises
    ------
    CommandFailedError
        Maven or the generator failed; the output is in the message.
    """
    project = _POMS / release.version / "pom.xml"

    def make(home: Path) -> None:
        jars = home / "jars"
        # A failed try is remembered by Maven for a day; -U asks again.
        command = ["mvn", "-U", "-q", "-B", "-f", str(project), "dependency:copy-dependencies"]
        run([*command, f"-DoutputDirectory={jars}"], timeout_seconds=600)
        files = [f"{name}={home / plural}.yaml" for plural, name in _CLASSES.items()]
        options = ["--yaml", "--target-kube", "1.30+", "--crd-api-version", "v1"]
        run([java, "-cp", f"{jars}/*", "io.strimzi.crdgenerator.CrdGenerator", *options, *files], timeout_seconds=120)
        shutil.rmtree(jars)

    return cached_folder(f"strimzi/{release.version}", content_key(project, *_CLASSES.values()), make)


def find_java(least: int) -> Path | None:
    """The first Java that is new enough, of `JAVA_HOME`, the PATH and Debian's folder; `None` where there is none."""
    return next((java for java in _javas() if _version(java) >= least), None)


def _javas() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if found := shutil.which("java"):
        yield Path(found)
    yield from sorted(Path("/usr/lib/jvm").glob("*/bin/java"))


def _version(java: Path) -> int:
    """Its major version; 0 for one that does not say."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    except OSError:
        return 0
    found = re.search(r'version "(\d+)', done.stderr)
    return int(found.group(1)) if found else 0
