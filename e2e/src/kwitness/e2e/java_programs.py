"""Our own Java programs, built from source when it changed: the broker plugin and the demo client."""

from __future__ import annotations

import os
from pathlib import Path

from kwitness.images.image_parts import REPOSITORY, maven_package


def plugin_jar() -> Path:
    """The broker plugin.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """
    return maven_package(REPOSITORY / "services" / "broker-plugin") / "kwitness-broker-plugin.jar"


def demo_client_classpath() -> str:
    """The class path of the Java demo client, whose main class is `dev.kwitness.demo.DemoClient`.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """
    package = maven_package(REPOSITORY / "demo" / "programs" / "java")
    return os.pathsep.join([str(package / "kwitness-demo-client.jar"), f"{package / 'libs'}/*"])
