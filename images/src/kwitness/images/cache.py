"""What can be made again, kept under the user's cache folder and keyed by the content it was made from."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from kwitness.images.build_time import noted_build

_KEY_DIGITS = 12
_IGNORED = frozenset({"__pycache__", "target", ".pytest_cache", ".mypy_cache", ".ruff_cache"})


def cache_folder() -> Path:
    """Where everything that can be made again is kept: `$XDG_CACHE_HOME/kwitness`, else `~/.cache/kwitness`."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kwitness"


def scratch_folder() -> Path:
    """Return the cache's folder for what is too large for the system's, made where it is absent."""
    folder = cache_folder() / "scratch"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def content_key(*parts: Path | str) -> str:
    """A key of 12 hexadecimal digits for the content of `parts`.

    A string counts as it is; a file by its bytes and whether it is executable; a folder by the relative names and
    contents of all its files. Where a file or folder lies does not count, so a second clone has the same keys.

    Raises
    ------
    FileNotFoundError
        A path is neither a file nor a folder.
    """
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            _add(digest, "text", part.encode())
        elif part.is_dir():
            for file in _files(part):
                _add_file(digest, file.relative_to(part).as_posix(), file)
        elif part.is_file():
            _add_file(digest, part.name, part)
        else:
            raise FileNotFoundError(f"no content for a cache key: {part} is not there; is the clone complete?")
    return digest.hexdigest()[:_KEY_DIGITS]


def cached_folder(kind: str, key: str, make: Callable[[Path], None]) -> Path:
    """The folder `<cache>/<kind>/<key>`, made by `make` if it is not there yet.

    The folder appears by one rename once `make` has returned, so half a build is never taken for a whole one, and
    one process at a time makes it while others wait.

    Parameters
    ----------
    make
        Fills the empty folder it is given; what it raises is raised here and leaves nothing.
    """
    home = cache_folder() / kind / key
    if home.is_dir():
        return home
    home.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(home.parent / f".{key}.lock"):
        if home.is_dir():
            return home
        partial = Path(tempfile.mkdtemp(prefix=f".partial-{key}-", dir=home.parent))
        try:
            with noted_build(kind):
                make(partial)
            partial.chmod(0o755)
            partial.rename(home)
        finally:
            if partial.exists():
                shutil.rmtree(partial, ignore_errors=True)
    return home


@contextlib.contextmanager
def exclusive(lock: Path) -> Iterator[None]:
    """Hold a lock file; another process that wants it waits. It is given back even if this process is killed."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def rust_target() -> Iterator[Path]:
    """Hold Cargo's target folder of the cache, apart from what builds by hand leave in the clone.

    It keeps what was built of other projects' crates. Cargo takes what was built of another clone for this one's where
    that is newer than the sources, so clean the packages of this project that are built.
    """
    with exclusive(cache_folder() / "rust-target.lock"):
        yield cache_folder() / "rust-target"


def is_content(name: str) -> bool:
    """Whether a file or folder of this name counts: not what tools and builds leave beside the sources."""
    return name not in _IGNORED and not name.endswith((".egg-info", ".pyc"))


def _files(folder: Path) -> Iterable[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(filter(is_content, folders))
        for name in sorted(filter(is_content, names)):
            yield Path(parent) / name


def _add_file(digest: hashlib._Hash, name: str, file: Path) -> None:
    executable = "x" if file.stat().st_mode & 0o100 else "-"
    _add(digest, f"file {executable} {name}", file.read_bytes())


def _add(digest: hashlib._Hash, label: str, content: bytes) -> None:
    digest.update(f"{label} {len(content)}\n".encode())
    digest.update(content)
