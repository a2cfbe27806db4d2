"""How each image is made: its base, what it is made of, and how its build context is filled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kwitness.e2e.kafka.jars import KAFKA_VERSIONS, kafka_jars
from kwitness.images.cache import content_key
from kwitness.images.commands import Progress
from kwitness.images.image_parts import REPOSITORY, copy_content, maven_package, site_packages
from kwitness.images.spark_jars import POM as SPARK_POM
from kwitness.images.spark_jars import WANTED as SPARK_JARS
from kwitness.images.spark_jars import spark_jars

_IMAGES = REPOSITORY / "e2e" / "images"
_CLIENTS = REPOSITORY / "demo" / "programs"
_PLUGIN = REPOSITORY / "services" / "broker-plugin"
#: Where the sources of each portion of the namespace `kwitness` are.
_PORTIONS = {
    "contracts": REPOSITORY / "contracts" / "src",
    "operator": REPOSITORY / "operator" / "src",
    "runtime": REPOSITORY / "services" / "runtime" / "src",
    "collector": REPOSITORY / "services" / "collector" / "src",
    "jobs": REPOSITORY / "spark-jobs" / "src",
}
NEWEST_KAFKA = KAFKA_VERSIONS[-1]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One image.

    Attributes
    ----------
    name
        Without the `kwitness/` in front.
    base
        Packages of the base image: the name of a file in `e2e/images/base`.
    on
        An image of ours to build on, instead of a base of packages.
    dockerfile
        Folder in `e2e/images`; all of it is in the build context.
    inputs
        All else the image is made of, as `cache.content_key` takes it.
    prepare
        Fills the build context.
    arguments
        Build arguments besides BASE.
    prefix
        Put in front of the key in the tag.
    """

    name: str
    dockerfile: str
    inputs: tuple[Path | str, ...]
    prepare: Callable[[Path, Progress], None]
    base: str = ""
    on: Recipe | None = None
    arguments: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""

    @property
    def folder(self) -> Path:
        """The folder with the Dockerfile."""
        return _IMAGES / self.dockerfile

    @property
    def packages(self) -> Path:
        """The file that lists the base's packages."""
        return _IMAGES / "base" / f"{self.base}.txt"

    def tag(self, base: str) -> str:
        """The full name of the image on a base of this name; it changes when anything the image is made of does."""
        arguments = [f"{name}={value}" for name, value in sorted(self.arguments.items())]
        key = content_key(base, self.folder, *arguments, *self.inputs)
        return f"{self.repository}:{self.prefix}{key}"

    @property
    def repository(self) -> str:
        """The name without a tag. What only serves as a base of others says so in its name."""
        return f"kwitness-base/{self.name}" if self.name.endswith("-libraries") else f"kwitness/{self.name}"


def recipe(name: str) -> Recipe:
    """The recipe of an image; `dev-kafka@3.7.2` is the development Kafka of another version.

    Raises
    ------
    ValueError
        There is no such image.
    """
    plain, _, version = name.partition("@")
    if plain == "dev-kafka":
        return _dev_kafka(version or NEWEST_KAFKA)
    if version or plain not in _MAKERS:
        raise ValueError(f"{name!r} is no image: there are {', '.join(NAMES)} and dev-kafka@VERSION")
    return _MAKERS[plain]()


def _component(portion: str) -> Recipe:
    lock = REPOSITORY / "locks" / f"{portion}.txt"
    portions = ("contracts", "runtime", portion)

    def prepare(context: Path, progress: Progress) -> None:
        copy_content(site_packages(lock, progress), context / "site-packages")
        _copy_portions(context, portions)

    return Recipe(
        name=portion,
        base="python",
        dockerfile="python",
        inputs=(lock, *_sources(portions)),
        prepare=prepare,
        arguments={"PORTION": portion},
    )


def _spark() -> Recipe:
    lock = REPOSITORY / "locks" / "spark.txt"
    portions = ("contracts", "jobs")

    def prepare_libraries(context: Path, progress: Progress) -> None:
        copy_content(site_packages(lock, progress), context / "site-packages")
        progress("fetching Spark's jars for Kafka and Delta")
        copy_content(spark_jars(), context / "jars")

    libraries = Recipe(
        name="spark-libraries",
        base="spark",
        dockerfile="spark-libraries",
        inputs=(lock, SPARK_POM, *SPARK_JARS),
        prepare=prepare_libraries,
    )
    # In two images, so that a changed job does not send a gigabyte of libraries to the engine again.
    return Recipe(
        name="spark",
        on=libraries,
        dockerfile="spark",
        inputs=_sources(portions),
        prepare=lambda context, _progress: _copy_portions(context, portions),
    )


def _dev_kafka(version: str) -> Recipe:
    if version not in KAFKA_VERSIONS:
        raise ValueError(f"no development Kafka {version!r}: there are {', '.join(KAFKA_VERSIONS)}")

    def prepare(context: Path, progress: Progress) -> None:
        copy_content(kafka_jars(version), context / "libs")
        for jar in maven_package(_PLUGIN, progress).glob("*.jar"):
            copy_content(jar, context / "plugin" / jar.name)

    return Recipe(
        name="dev-kafka",
        base="java",
        dockerfile="dev-kafka",
        inputs=(REPOSITORY / "e2e" / "kafka" / version / "pom.xml", _PLUGIN),
        prepare=prepare,
        arguments={"KAFKA_VERSION": version},
        prefix=f"{version}-",
    )


def _demo_python() -> Recipe:
    locks = _IMAGES / "demo-python" / "locks"
    programs = _CLIENTS / "python"

    def prepare(context: Path, progress: Progress) -> None:
        for lock in sorted(locks.glob("*.txt")):
            copy_content(site_packages(lock, progress), context / "variants" / lock.stem)
        copy_content(programs, context / "programs")

    return Recipe(name="demo-python", base="python", dockerfile="demo-python", inputs=(programs,), prepare=prepare)


def _demo_java() -> Recipe:
    project = _CLIENTS / "java"

    def prepare(context: Path, progress: Progress) -> None:
        package = maven_package(project, progress)
        copy_content(package / "libs", context / "libs")
        for jar in package.glob("*.jar"):
            copy_content(jar, context / "programs" / jar.name)

    return Recipe(name="demo-java", base="java", dockerfile="demo-java", inputs=(project,), prepare=prepare)


def _prometheus() -> Recipe:
    return Recipe(
        name="prometheus",
        base="prometheus",
        dockerfile="prometheus",
        inputs=(),
        prepare=lambda _context, _progress: None,
    )


def _sources(portions: tuple[str, ...]) -> tuple[Path, ...]:
    return tuple(_PORTIONS[portion] / "kwitness" / portion for portion in portions)


def _copy_portions(context: Path, portions: tuple[str, ...]) -> None:
    """Only the portions that the component may import: an import in the wrong direction fails in the image too."""
    for portion in portions:
        copy_content(_PORTIONS[portion] / "kwitness" / portion, context / "own" / "kwitness" / portion)


_MAKERS: Mapping[str, Callable[[], Recipe]] = {
    "operator": lambda: _component("operator"),
    "collector": lambda: _component("collector"),
    "spark": _spark,
    "demo-python": _demo_python,
    "demo-java": _demo_java,
    "prometheus": _prometheus,
}
#: Every image, in the order in which they are built.
NAMES = ("operator", "collector", "dev-kafka", "demo-java", "demo-python", "prometheus", "spark")
