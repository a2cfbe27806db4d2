"""An image as a container engine saves it."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

REFERENCE = "kwitness/tried:1"
CREATED = 1_700_000_000
LATEST = 1_600_000_000


@dataclass(frozen=True)
class File:
    """A file of a layer."""

    name: str
    content: bytes = b""
    kind: bytes = tarfile.REGTYPE
    link: str = ""
    modified: float = LATEST + 5
    owner: str = "root"
    mode: int = 0o644


FILES = (
    File("opt", kind=tarfile.DIRTYPE, mode=0o755),
    File("opt/a", b"program", mode=0o755),
    File("opt/b", kind=tarfile.LNKTYPE, link="opt/a"),
    File("opt/old", b"old", modified=LATEST - 1000),
    File("opt/.wh.gone"),
    File("opt/points", kind=tarfile.SYMTYPE, link="a"),
)


def archive(path: Path, files: Sequence[File] = FILES, *, machine: str = "one") -> Path:
    """Write an image of one layer, as an engine of a machine saves it."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w", format=tarfile.PAX_FORMAT) as written:
        for file in files:
            entry = tarfile.TarInfo(file.name)
            entry.type, entry.linkname, entry.mode = file.kind, file.link, file.mode
            entry.mtime, entry.uname, entry.gname = file.modified, file.owner, file.owner
            entry.size = len(file.content)
            entry.pax_headers = {"atime": f"{file.modified + 3}", "SCHILY.xattr.user.kept": "1"}
            written.addfile(entry, io.BytesIO(file.content))
    config: dict[str, Any] = {
        "architecture": "amd64",
        "os": "linux",
        "created": "2026-01-01T00:00:00Z",
        "container": machine,
        "config": {"Hostname": machine, "Image": f"sha256:{machine}", "Entrypoint": ["/opt/a"], "Labels": {"own": "1"}},
        "history": [
            {"created": "2026-01-01T00:00:00Z", "created_by": "COPY"},
            {"created_by": "USER 1", "empty_layer": True},
        ],
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256(layer.getvalue()).hexdigest()}"]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [REFERENCE], "Layers": ["0/layer.tar"]}]
    with tarfile.open(path, "w") as written:
        for name, content in (
            ("config.json", json.dumps(config).encode()),
            ("0/layer.tar", layer.getvalue()),
            ("manifest.json", json.dumps(manifest).encode()),
        ):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            written.addfile(entry, io.BytesIO(content))
    return path
