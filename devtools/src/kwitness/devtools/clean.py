"""`make clean-cache`: removes what is kept to be quick the next time: downloads, builds, images, imported images."""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
from collections.abc import Iterable

from kwitness.images import container_engine
from kwitness.images.cache import cache_folder
from kwitness.images.commands import CommandFailedError

_REPOSITORIES = ("kwitness/", "kwitness-base/", "kwitness-node:")
_IMPORTED = re.compile(r"[a-z][-a-z0-9]*-images-[0-9a-f]{12}")


def our_images(names: Iterable[str]) -> list[str]:
    """Those of `repository:tag` that our builder and the node make."""
    return sorted(name for name in names if name.startswith(_REPOSITORIES))


def volumes_of_imported_images(names: Iterable[str]) -> list[str]:
    """Those volumes that a node keeps its imported images in."""
    return sorted(name for name in names if _IMPORTED.fullmatch(name))


def main() -> int:
    """Remove all of it, unless a node still needs it; the exit status."""
    if container_engine.answers():
        running = container_engine.docker("ps", "--filter", "label=dev.kwitness.node", "--format", "{{.Names}}").split()
        if running:
            remedy = "make demo-down, or python -m kwitness.e2e.node stop NAME"
            print(f"in use by {', '.join(running)}: {remedy}", file=sys.stderr)
            return 1
        # What another container uses stays; the engine says so by refusing.
        for name in our_images(container_engine.image_names()):
            with contextlib.suppress(CommandFailedError):
                container_engine.docker("rmi", name)
        for name in volumes_of_imported_images(container_engine.docker("volume", "ls", "--quiet").split()):
            with contextlib.suppress(CommandFailedError):
                container_engine.docker("volume", "rm", name)
    shutil.rmtree(cache_folder(), ignore_errors=True)
    print(f"removed {cache_folder()} and our images; what Go, Maven and apt keep for themselves stays")
    return 0


if __name__ == "__main__":
    sys.exit(main())
