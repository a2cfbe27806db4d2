"""Makes `krew/`: kubectl's plugin as Krew installs it, an archive and the manifest that names it with its checksum.

The archive is the same for the same wheel: sorted, without times and owners. The manifest cannot be in the repository,
since it holds the checksum of an archive that has the repository's code.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Final

from kwitness.devtools import tar_archive
from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError
from kwitness.images.commands import Progress

__all__ = ["archive", "krew", "manifest"]

_KREW: Final = REPOSITORY / "services" / "cli" / "krew"
LAUNCHER: Final = _KREW / "kubectl-kwitness"
TEMPLATE: Final = _KREW / "manifest.yaml"
LOCK: Final = REPOSITORY / "locks" / "command.txt"


def krew(release: Release, progress: Progress) -> None:
    """Pack the wheel that the step `python` has built, and write the manifest.

    Raises
    ------
    ReleaseError
        There is no wheel.
    """
    wheels = sorted((release.out / "python").glob("kwitness-*.whl"))
    if len(wheels) != 1:
        raise ReleaseError(
            f"{release.out}/python has {len(wheels)} wheels of kwitness, and the plugin is made of one: "
            "run the step `python` before"
        )
    folder = release.empty_folder("krew")
    packed = archive(wheels[0])
    url = f"{release.identity.downloads.rstrip('/')}/{release.version}/krew"
    for name, content in (
        (f"kubectl-kwitness-{release.version}.tar.gz", packed),
        ("kwitness.yaml", manifest(release.version, url, packed).encode()),
    ):
        (folder / name).write_bytes(content)
        progress(name)


def archive(wheel: Path) -> bytes:
    """Return a gzipped tar of launcher, wheel, lock and licence."""
    files = {LAUNCHER.name: LAUNCHER, wheel.name: wheel, "requirements.txt": LOCK, "LICENSE": REPOSITORY / "LICENSE"}
    return tar_archive.packed({name: path.read_bytes() for name, path in files.items()}, programs={LAUNCHER.name})


def manifest(version: str, url: str, packed: bytes) -> str:
    """Return the manifest for an archive that is downloaded from below ``url``."""
    values = {"VERSION": version, "URL": url, "SHA256": hashlib.sha256(packed).hexdigest()}
    text = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"VERSION|URL|SHA256", lambda found: values[found[0]], text.partition("\n")[2])
