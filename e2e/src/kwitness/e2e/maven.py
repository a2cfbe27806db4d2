"""Maven as a command: dependencies into a folder, our own Java projects into jars."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from kwitness.e2e.cache import cached_folder, content_key

_ROOT = Path(__file__).resolve().parents[4]


def plugin_jar() -> Path:
    """The broker plugin, built from `services/broker-plugin` if its source changed since the last time.

    Raises
    ------
    RuntimeError
        Maven failed; its output is in the message.
    """
    return _built("services/broker-plugin") / "kwitness-broker-plugin.jar"


def demo_client_jars() -> Path:
    """The folder with the Java demo client (main class `dev.kwitness.demo.DemoClient`) and all it needs.

    Raises
    ------
    RuntimeError
        Maven failed; its output is in the message.
    """
    return _built("e2e/clients/java", "dependency:copy-dependencies", "-DincludeScope=runtime")


def maven(pom: Path, *arguments: str) -> None:
    """Run Maven quietly.

    Raises
    ------
    RuntimeError
        It failed; its output is in the message.
    """
    command = ["mvn", "-q", "-B", "-f", str(pom), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        output = (done.stdout + done.stderr)[-6000:]
        raise RuntimeError(f"{' '.join(command)} failed; is Maven Central reachable?\n{output}")


def _built(project: str, *further: str) -> Path:
    """The jars of one of our projects; built in a copy, so that a build by hand is not disturbed."""
    source = _ROOT / project
    key = content_key(source / "pom.xml", source / "src" / "main", *further)

    def build(home: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="kwitness-maven-") as work:
            copy = Path(work) / "project"
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("target", "test"))
            goals = ("package", "-DskipTests", *further)
            maven(copy / "pom.xml", *goals, *([f"-DoutputDirectory={home}"] if further else []))
            for jar in (copy / "target").glob("*.jar"):
                shutil.copy(jar, home)

    return cached_folder(f"java/{source.name}", key, build)
