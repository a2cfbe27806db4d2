"""The plugin of kubectl as Krew installs it: the archive, and the manifest that names it with its checksum.

The archive is the same for the same commit: sorted, without times and owners. The manifest cannot be in the repository,
since it holds the checksum of an archive that has the repository's code.
Usage: `python -m kwitness.devtools.krew WHEEL URL FOLDER`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import sys
import tarfile
from pathlib import Path
from typing import Final

__all__ = ["archive", "main", "manifest"]

_ROOT: Final = Path(__file__).resolve().parents[4]
_KREW: Final = _ROOT / "services" / "cli" / "krew"
LAUNCHER: Final = _KREW / "kubectl-kwitness"
TEMPLATE: Final = _KREW / "manifest.yaml"
LOCK: Final = _ROOT / "locks" / "command.txt"


def archive(wheel: Path) -> bytes:
    """Return a gzipped tar of launcher, wheel, lock and licence."""
    files = {LAUNCHER.name: LAUNCHER, wheel.name: wheel, "requirements.txt": LOCK, "LICENSE": _ROOT / "LICENSE"}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, path in sorted(files.items()):
            content = path.read_bytes()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            entry.mode = 0o755 if path == LAUNCHER else 0o644
            tar.addfile(entry, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


def manifest(version: str, url: str, packed: bytes) -> str:
    """Return the manifest for an archive that is downloaded from below ``url``."""
    values = {"VERSION": version, "URL": url.rstrip("/"), "SHA256": hashlib.sha256(packed).hexdigest()}
    text = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"VERSION|URL|SHA256", lambda found: values[found[0]], text.partition("\n")[2])


def main(arguments: list[str]) -> int:
    """Write both into a folder, and name them."""
    wheel, url, folder = Path(arguments[0]), arguments[1], Path(arguments[2])
    version = wheel.name.split("-")[1]
    packed = archive(wheel)
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (
        (f"kubectl-kwitness-{version}.tar.gz", packed),
        ("kwitness.yaml", manifest(version, url, packed).encode()),
    ):
        (folder / name).write_bytes(content)
        print(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
