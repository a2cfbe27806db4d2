"""How each image that is shipped is made: its base, what it is made of, and how its build context is filled."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kwitness.images.commands import Progress
from kwitness.images.image_parts import (
    DECODER_MODULE,
    DECODER_SOURCES,
    JAVA_INTERCEPTORS,
    JAVA_JAR,
    PLUGIN_GLIBC,
    PLUGIN_LIBRARY,
    PLUGIN_SOURCES,
    QUICK,
    RELEASE,
    REPOSITORY,
    RUST_SOURCES,
    cargo_binary,
    copy_content,
    java_interceptors,
    librdkafka_plugin,
    maven_sources,
    otlp_decoder,
    site_packages,
)
from kwitness.images.recipe import Recipe
from kwitness.images.s3a_jars import s3a_jars
from kwitness.images.spark_classes import PROGRAM as CLASS_ARCHIVE
from kwitness.images.spark_classes import RESOURCES as JAVA_RESOURCES
from kwitness.images.spark_jars import POM as SPARK_POM
from kwitness.images.spark_jars import WANTED as SPARK_JARS
from kwitness.images.spark_jars import spark_jars

IMAGES = REPOSITORY / "images"
PYTHON_BASE = IMAGES / "base" / "python.txt"
_NATIVE_BASE = IMAGES / "base" / "native.txt"
_PYTHON_INTERCEPTORS = (
    REPOSITORY / "services/interceptors-python/src/kwitness_interceptors",
    REPOSITORY / "services/interceptors-python/startup/sitecustomize.py",
)
#: Where the sources of each portion of the namespace `kwitness` are.
_PORTIONS = {
    "contracts": REPOSITORY / "contracts" / "src",
    "operator": REPOSITORY / "operator" / "src",
    "runtime": REPOSITORY / "services" / "runtime" / "src",
    "subscriptions": REPOSITORY / "services" / "subscriptions" / "src",
    "collector": REPOSITORY / "services" / "collector" / "src",
    "injector": REPOSITORY / "services" / "injector" / "src",
    "observer": REPOSITORY / "services" / "observer-host" / "src",
    "answers": REPOSITORY / "services" / "answers" / "src",
    "console": REPOSITORY / "services" / "console" / "src",
    "jobs": REPOSITORY / "spark-jobs" / "src",
}


def _component(portion: str, name: str | None = None, *, lock: str | None = None, library: str | None = None) -> Recipe:
    """A component in Python; ``name`` where its image has not the portion's, ``lock`` where that has not the image's.

    ``library`` is one more portion that it may import.
    """
    name = name or portion
    packages = REPOSITORY / "locks" / f"{lock or name}.txt"
    portions = ("contracts", "runtime", "subscriptions", *([library] if library else []), portion)

    def prepare(context: Path, progress: Progress) -> None:
        copy_content(site_packages(packages, progress), context / "site-packages")
        _copy_portions(context, portions)

    return Recipe(
        name=name, folder=IMAGES / name, base=PYTHON_BASE, inputs=(packages, *_sources(portions)), prepare=prepare
    )


def _spark(profile: str) -> Recipe:
    lock = REPOSITORY / "locks" / "spark.txt"
    portions = ("contracts", "jobs")

    def prepare_libraries(context: Path, progress: Progress) -> None:
        copy_content(site_packages(lock, progress), context / "site-packages")
        progress("fetching Spark's jars for Kafka and Delta")
        copy_content(spark_jars(), context / "jars")
        copy_content(CLASS_ARCHIVE, context / CLASS_ARCHIVE.name)
        copy_content(JAVA_RESOURCES, context / JAVA_RESOURCES.name)

    libraries = Recipe(
        name="spark-libraries",
        folder=IMAGES / "spark-libraries",
        base=IMAGES / "base" / "spark.txt",
        inputs=(lock, SPARK_POM, *SPARK_JARS, CLASS_ARCHIVE, JAVA_RESOURCES),
        prepare=prepare_libraries,
    )

    def prepare(context: Path, progress: Progress) -> None:
        _copy_portions(context, portions)
        copy_content(otlp_decoder(progress, profile=profile) / DECODER_MODULE, context / "own" / DECODER_MODULE)

    # In two images, so that a changed job does not send a gigabyte of libraries to the engine again.
    return Recipe(
        name="spark",
        folder=IMAGES / "spark",
        base=libraries,
        inputs=(*_sources(portions), profile, *DECODER_SOURCES),
        prepare=prepare,
    )


def _spark_s3a(spark: Recipe) -> Recipe:
    """A variant for tables in object stores that speak S3: who needs none has no SDK in the image."""

    def prepare(context: Path, progress: Progress) -> None:
        progress("fetching the jars for object stores")
        copy_content(s3a_jars(), context / "jars")

    return Recipe(
        name="spark-s3a",
        folder=IMAGES / "spark-s3a",
        base=spark,
        prepare=prepare,
    )


def _observer(profile: str) -> Recipe:
    program = "kwitness-observer"

    def prepare(context: Path, progress: Progress) -> None:
        copy_content(cargo_binary(program, progress, profile=profile) / program, context / program)

    return Recipe(
        name="observer",
        folder=IMAGES / "observer",
        base=_NATIVE_BASE,
        inputs=(profile, *RUST_SOURCES),
        prepare=prepare,
    )


def _interceptors(profile: str) -> Recipe:
    """What the injector's init containers copy from: below `kwitness` a folder for each runtime.

    The injector calls them `python`, `java` and `lib`.
    """

    def prepare(context: Path, progress: Progress) -> None:
        copy_python_interceptors(context / "kwitness" / "python")
        copy_content(java_interceptors(progress), context / "kwitness" / "java" / JAVA_JAR)
        copy_content(
            librdkafka_plugin(progress, profile=profile) / PLUGIN_LIBRARY, context / "kwitness" / "lib" / PLUGIN_LIBRARY
        )

    # On the base of the observer, which many nodes of such pods have already.
    return Recipe(
        name="interceptors",
        folder=IMAGES / "interceptors",
        base=_NATIVE_BASE,
        inputs=(*_PYTHON_INTERCEPTORS, *maven_sources(JAVA_INTERCEPTORS), profile, PLUGIN_GLIBC, *PLUGIN_SOURCES),
        prepare=prepare,
    )


def copy_python_interceptors(folder: Path) -> None:
    """Copy into a folder what programs in Python find by PYTHONPATH."""
    for part in _PYTHON_INTERCEPTORS:
        copy_content(part, folder / part.name)


def _sources(portions: tuple[str, ...]) -> tuple[Path, ...]:
    return tuple(_PORTIONS[portion] / "kwitness" / portion for portion in portions)


def _copy_portions(context: Path, portions: tuple[str, ...]) -> None:
    """Only the portions that the component may import: an import in the wrong direction fails in the image too."""
    for portion in portions:
        copy_content(_PORTIONS[portion] / "kwitness" / portion, context / "own" / "kwitness" / portion)


def shipped(profile: str) -> Mapping[str, Recipe]:
    """Every image that is shipped, by its name, in the order in which they are built, with Rust by a Cargo profile."""
    spark = _spark(profile)
    return {
        "operator": _component("operator"),
        "collector": _component("collector"),
        "injector": _component("injector"),
        "console": _component("console", lock="console-server", library="answers"),
        "spark": spark,
        "spark-s3a": _spark_s3a(spark),
        "observer": _observer(profile),
        "observer-host": _component("observer", "observer-host"),
        "interceptors": _interceptors(profile),
    }


SHIPPED: Mapping[str, Recipe] = shipped(RELEASE)
DEVELOPED: Mapping[str, Recipe] = shipped(QUICK)
"""The same images for tests and the demo."""
PLATFORMS = ("linux/amd64",)
"""Those on which images were tried."""
