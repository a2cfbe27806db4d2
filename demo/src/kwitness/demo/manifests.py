"""The demo's YAML files, with the images and replicas of this run filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from kwitness.demo import releases

_PLACE = re.compile(r"\$\{([A-Z_]+)\}")


def filled(file: Path, values: Mapping[str, str]) -> str:
    """The text of a manifest with each `${NAME}` replaced.

    Raises
    ------
    KeyError
        The file has a placeholder that `values` does not name.
    """

    def value(found: re.Match[str]) -> str:
        try:
            return values[found.group(1)]
        except KeyError:
            raise KeyError(
                f"{file.name} asks for ${{{found.group(1)}}}; known are {', '.join(sorted(values))}"
            ) from None

    return _PLACE.sub(value, file.read_text())


def client(name: str, images: Mapping[str, str]) -> str:
    """The Deployment of one of the demo's programs; `images` are references by image name (`demo-python`)."""
    values = {f"IMAGE_{image.upper().replace('-', '_')}": reference for image, reference in images.items()}
    return filled(releases.CLIENTS / f"{name}.yaml", values)


def files(folder: Path) -> list[Path]:
    """The YAML files of a folder, by name."""
    return sorted(folder.glob("*.yaml"))
