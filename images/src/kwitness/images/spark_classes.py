"""An archive of the classes of Spark, Kafka's client and Delta, for Sparks of this machine and for the Spark image."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from kwitness.images.build_time import noted_build
from kwitness.images.cache import cache_folder, content_key, exclusive
from kwitness.images.commands import run
from kwitness.images.image_parts import REPOSITORY
from kwitness.images.spark_jars import spark_jars

__all__ = ["PROGRAM", "RESOURCES", "spark_variables"]

PROGRAM: Final = Path(__file__).with_name("class_archive.py")
"""Writes the archive, here and in the image; it is run and not imported."""
RESOURCES: Final = REPOSITORY / "spark-jobs" / "src" / "kwitness" / "jobs" / "java_resources"
"""Files that come before those in the jars."""


def spark_variables(*jars: Path) -> dict[str, str]:
    """Variables with which a driver of this machine finds `spark_jars`, further folders of jars, and the archive.

    Raises
    ------
    CommandFailedError
        Maven could not resolve the jars, or Spark did not run; the output is in the message.
    """
    folders = os.pathsep.join(map(str, (spark_jars(), *jars)))
    return {"KWITNESS_SPARK_JARS": folders, "KWITNESS_SPARK_CLASSES": str(_archive())}


def _archive() -> Path:
    """The folder with the archive for this environment's Java and PySpark, made once.

    It is written where it stays, since Java knows the jars of an archive by their paths.
    """
    home = os.environ.get("JAVA_HOME")
    java = Path(home) / "bin" / "java" if home else Path(shutil.which("java") or "java")
    release = java.resolve().parents[1] / "release"
    kind = "spark-classes"
    folder = cache_folder() / kind / content_key(PROGRAM, RESOURCES, release, *_jars(), spark_jars().name)
    with exclusive(folder.with_suffix(".lock")):
        if not (folder / "classes.jsa").is_file():
            folder.mkdir(exist_ok=True)
            environment = {"PYSPARK_PYTHON": sys.executable, "SPARK_CONF_DIR": str(folder)}
            with noted_build(kind):
                run([sys.executable, PROGRAM, folder, RESOURCES, spark_jars()], environment=environment)
    return folder


def _jars() -> list[str]:
    """PySpark's jars as Java compares them with an archive's: by path, size and time."""
    spec = find_spec("pyspark")
    folder = Path(spec.origin).parent / "jars" if spec and spec.origin else Path()
    states = ((jar, jar.stat()) for jar in sorted(folder.glob("*.jar")))
    return [f"{jar} {state.st_size} {state.st_mtime_ns}" for jar, state in states]
