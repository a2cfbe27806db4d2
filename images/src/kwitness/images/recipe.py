"""What a container image is made of, and the name that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kwitness.images.base_images import base_tag
from kwitness.images.base_lock import BaseLock, lock_file, read_lock
from kwitness.images.cache import content_key
from kwitness.images.commands import Progress


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One image.

    Attributes
    ----------
    name
        Without the `kwitness/` in front.
    folder
        The folder with the Dockerfile; all of it is in the build context.
    base
        The file that lists the packages of its base image; or an image of ours to build on.
    inputs
        All else the image is made of, as `cache.content_key` takes it.
    prepare
        Fills the build context with what is not in the folder.
    arguments
        Build arguments besides BASE.
    prefix
        Put in front of the key in the tag.
    """

    name: str
    folder: Path
    base: Path | Recipe
    inputs: tuple[Path | str, ...] = ()
    prepare: Callable[[Path, Progress], None] = lambda _context, _progress: None
    arguments: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""

    @property
    def repository(self) -> str:
        """The name without a tag. What only serves as a base of others says so in its name."""
        return f"kwitness-base/{self.name}" if self.name.endswith("-libraries") else f"kwitness/{self.name}"

    @property
    def base_reference(self) -> str:
        """The full name of the image it is built on."""
        if isinstance(self.base, Recipe):
            return self.base.reference
        return base_tag(base_repository(self.base), self.base)

    @property
    def packages_file(self) -> Path:
        """The list of the packages of the Debian that it is built on in the end."""
        return self.base.packages_file if isinstance(self.base, Recipe) else self.base

    @property
    def base_lock(self) -> BaseLock:
        """Packages and times of that Debian.

        Raises
        ------
        FileNotFoundError
            Its packages are not locked.
        """
        return read_lock(lock_file(self.packages_file))

    @property
    def reference(self) -> str:
        """The full name of the image; it changes when anything the image is made of does.

        Raises
        ------
        FileNotFoundError
            Sources of the image are not there.
        """
        arguments = [f"{name}={value}" for name, value in sorted(self.arguments.items())]
        key = content_key(self.base_reference, self.folder, *arguments, *self.inputs)
        return f"{self.repository}:{self.prefix}{key}"


def base_repository(packages: Path) -> str:
    """The name, without a tag, of the base image with the packages listed in a file."""
    return f"kwitness-base/{packages.stem}"
