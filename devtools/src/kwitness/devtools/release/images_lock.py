"""Reads `images.lock.json`: the images of a release, as the registry accepted them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import StringConstraints, TypeAdapter, ValidationError

from kwitness.devtools.release.release import Release, ReleaseError

__all__ = ["IMAGES_LOCK", "LockedImage", "read_images_lock"]

IMAGES_LOCK: Final = "images.lock.json"
"""Each image's repository and digests, in the folder of the release."""
_REMEDY: Final = "run the step images, which writes it"
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]


@dataclass(frozen=True, kw_only=True)
class LockedImage:
    """An image in the registry."""

    repository: str
    """Path below the registry, such as `kwitness/operator`."""
    digest: Digest
    """Of its index."""
    platforms: Mapping[str, Digest]
    """Digests by platform, such as `linux/amd64`."""


_IMAGES: Final = TypeAdapter(dict[str, LockedImage])


def read_images_lock(release: Release) -> dict[str, LockedImage]:
    """Return the images by name.

    Raises
    ------
    ReleaseError
        The file is missing or malformed.
    """
    file = release.out / IMAGES_LOCK
    try:
        return _IMAGES.validate_json(file.read_bytes())
    except FileNotFoundError as error:
        raise ReleaseError(f"{file} is missing: {_REMEDY}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise ReleaseError(f"{file} is malformed, {place}: {first['msg']}: {_REMEDY}") from error
