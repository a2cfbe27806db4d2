"""Signs images and charts in the registry, and `SHA256SUMS`, which has the checksums of all files."""

from __future__ import annotations

from typing import Final

from kwitness.devtools.release.checksums import CHECKSUMS, PUBLIC_KEY, SIGNATURE, checksum_lines
from kwitness.devtools.release.cosign import public_key, sign_file, sign_in_registry
from kwitness.devtools.release.pushed import pushed
from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.images.commands import Progress

__all__ = ["signatures"]

_REMEDY: Final = "run the step checksums again, and this one after it"


def signatures(release: Release, progress: Progress) -> None:
    """Sign, and write `cosign.pub` and `SHA256SUMS.sig`; without a key, remove both.

    Raises
    ------
    ReleaseError
        The key cannot sign, `SHA256SUMS` is not that of the files, or the registry refuses.
    """
    public, signature = release.out / PUBLIC_KEY, release.out / SIGNATURE
    public.unlink(missing_ok=True)
    signature.unlink(missing_ok=True)
    if release.key is None:
        progress("nothing is signed: no KEY is given")
        return
    text = public_key(release.key, progress)
    _check_checksums(release)
    for artefact in pushed(release):
        sign_in_registry(release.key, artefact.reference)
        progress(artefact.reference)
    sign_file(release.key, release.out / CHECKSUMS, signature)
    public.write_text(text, encoding="utf-8")
    progress(f"{SIGNATURE}, {PUBLIC_KEY}")


def _check_checksums(release: Release) -> None:
    file = release.out / CHECKSUMS
    if not file.exists():
        raise ReleaseError(f"{file} is missing: {_REMEDY}")
    if file.read_text(encoding="utf-8") != "".join(checksum_lines(release)):
        raise ReleaseError(f"{file} is not that of the files beside it, which have changed since: {_REMEDY}")
