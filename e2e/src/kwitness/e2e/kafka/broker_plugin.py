"""The jar of our broker plugin, built from source when that changed."""

from __future__ import annotations

from pathlib import Path

from kwitness.images.image_parts import REPOSITORY, maven_package

PROJECT = REPOSITORY / "services" / "broker-plugin"


def plugin_jar() -> Path:
    """The broker plugin.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """
    return maven_package(PROJECT) / "kwitness-broker-plugin.jar"
