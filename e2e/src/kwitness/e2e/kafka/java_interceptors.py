"""The jar of our Java interceptors, which is the agent too, built from source when that changed."""

from __future__ import annotations

from pathlib import Path

from kwitness.images.image_parts import REPOSITORY, maven_package

PROJECT = REPOSITORY / "services" / "interceptors-java"


def interceptors_jar() -> Path:
    """The interceptors and the agent.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """
    return maven_package(PROJECT) / "kwitness-interceptors.jar"
