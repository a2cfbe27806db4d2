"""The Java client program of the demo, built from source when that changed."""

from __future__ import annotations

import os

from kwitness.images.image_parts import REPOSITORY, maven_package

PROJECT = REPOSITORY / "demo" / "programs" / "java"


def demo_client_classpath() -> str:
    """The class path of the program, whose main class is `dev.kwitness.demo.DemoClient`.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """
    package = maven_package(PROJECT)
    return os.pathsep.join([str(package / "kwitness-demo-client.jar"), f"{package / 'libs'}/*"])
