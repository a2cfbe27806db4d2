"""The images of the demo: those that are shipped, and for development alone a Kafka, a Prometheus, client programs.

Usage: `python -m kwitness.demo.images`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from kwitness.demo import java_client, releases
from kwitness.e2e.kafka import broker_plugin
from kwitness.e2e.kafka.jars import KAFKA_VERSIONS, kafka_jars, pom
from kwitness.images.builder import build_all
from kwitness.images.commands import Progress
from kwitness.images.image_parts import REPOSITORY, copy_content, maven_package, maven_sources, site_packages
from kwitness.images.image_recipes import DEVELOPED, PYTHON_BASE
from kwitness.images.recipe import Recipe

_IMAGES = REPOSITORY / "demo" / "images"
_JAVA_BASE = _IMAGES / "base" / "java.txt"


def dev_kafka(version: str = KAFKA_VERSIONS[-1]) -> Recipe:
    """A broker with the plugin."""

    def prepare(context: Path, progress: Progress) -> None:
        copy_content(kafka_jars(version), context / "libs")
        for jar in maven_package(broker_plugin.PROJECT, progress).glob("*.jar"):
            copy_content(jar, context / "plugin" / jar.name)

    return Recipe(
        name="dev-kafka",
        folder=_IMAGES / "dev-kafka",
        base=_JAVA_BASE,
        inputs=(pom(version), *maven_sources(broker_plugin.PROJECT)),
        prepare=prepare,
        arguments={"KAFKA_VERSION": version},
        prefix=f"{version}-",
    )


def _demo_python() -> Recipe:
    folder = _IMAGES / "demo-python"
    programs = REPOSITORY / "services" / "sandbox" / "src" / "kwitness" / "sandbox" / "clients"

    def prepare(context: Path, progress: Progress) -> None:
        for lock in sorted((folder / "locks").glob("*.txt")):
            copy_content(site_packages(lock, progress), context / "variants" / lock.stem)
        copy_content(programs, context / "programs")

    return Recipe(name="demo-python", folder=folder, base=PYTHON_BASE, inputs=(programs,), prepare=prepare)


def _demo_java() -> Recipe:
    def prepare(context: Path, progress: Progress) -> None:
        package = maven_package(java_client.PROJECT, progress)
        copy_content(package / "libs", context / "libs")
        for jar in package.glob("*.jar"):
            copy_content(jar, context / "programs" / jar.name)

    return Recipe(
        name="demo-java",
        folder=_IMAGES / "demo-java",
        base=_JAVA_BASE,
        inputs=(java_client.PROJECT,),
        prepare=prepare,
    )


DEVELOPMENT: Mapping[str, Recipe] = {
    "dev-kafka": dev_kafka(),
    "demo-java": _demo_java(),
    "demo-python": _demo_python(),
    "prometheus": Recipe(name="prometheus", folder=_IMAGES / "prometheus", base=_IMAGES / "base" / "prometheus.txt"),
}
"""Images that are never shipped, by name."""
_OF_PRODUCT = {name: recipe for name, recipe in DEVELOPED.items() if name != "spark-s3a"}
"""But for the variant for object stores: tables of the demo are on a claim."""
ALL: Mapping[str, Recipe] = {**_OF_PRODUCT, **DEVELOPMENT}
"""Every image of the demo, by name, in the order in which they are built."""
BATCHES: Sequence[Sequence[str]] = (
    ("operator", "injector", "dev-kafka", "prometheus"),
    ("collector", "demo-java", "demo-python", "observer"),
    ("console",),
    ("interceptors",),
    ("spark",),
)
"""The images of parts, in the order in which they are needed; those of a batch travel together."""
OF_CHARTS: Mapping[str, tuple[str, ...]] = {
    releases.PRODUCT: tuple(_OF_PRODUCT),
    releases.DEMO: ("dev-kafka", "prometheus"),
}
"""Images that a chart's values name, by chart."""
OTHERS: Mapping[str, Recipe] = {f"dev-kafka@{version}": dev_kafka(version) for version in KAFKA_VERSIONS[:-1]}
"""The development Kafka in other versions, which the demo does not need."""


def references() -> dict[str, str]:
    """Image name (`demo-python`) to `repository:tag`, of every image of the demo, whether or not it is built."""
    return {name: recipe.reference for name, recipe in ALL.items()}


def main() -> None:
    """Build all, or the images that are named."""
    parser = argparse.ArgumentParser(prog="python -m kwitness.demo.images", description=__doc__)
    every = {**ALL, **OTHERS}
    parser.add_argument("--only", action="append", choices=every, help="only this image; may be given again")
    chosen = parser.parse_args()
    for name, reference in build_all({name: every[name] for name in chosen.only or ALL}, print).items():
        print(f"{name:12} {reference}")


if __name__ == "__main__":
    main()
