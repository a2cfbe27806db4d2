"""Signs with cosign, which is built from a pinned Go module, and asks no service of the world for anything.

Usage: `python -m kwitness.devtools.release.cosign`, which `make cosign` runs, builds it and prints its path.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from kwitness.devtools.release.registry import is_loopback, registry_remedy
from kwitness.devtools.release.release import ReleaseError
from kwitness.devtools.sources import ROOT
from kwitness.e2e.binaries import GoCommand, built
from kwitness.images.commands import CommandFailedError, Progress, run, silent

__all__ = ["COSIGN", "PASSWORD", "cosign", "public_key", "sign_file", "sign_in_registry"]

COSIGN: Final = GoCommand(
    "cosign",
    ROOT / "devtools" / "release" / "cosign",
    "github.com/sigstore/cosign/v2/cmd/cosign",
    # Without it the program reports `devel`.
    ("sigs.k8s.io/release-utils/version.gitVersion=v2.6.5",),
)
PASSWORD: Final = "COSIGN_PASSWORD"  # noqa: S105 - its name
"""Variable with the password of the key."""
_LABELS: Final = ("ENCRYPTED SIGSTORE PRIVATE KEY", "ENCRYPTED COSIGN PRIVATE KEY")
_MAKE_ONE: Final = "write one by `cosign generate-key-pair`"
_NO_LOG: Final = ("--tlog-upload=false", "--yes")


def cosign(progress: Progress = silent) -> Path:
    """Return the program, built where it is absent, which takes minutes.

    Raises
    ------
    CommandFailedError
        Go could not fetch or build it.
    """
    return built(COSIGN, progress) / COSIGN.name


def public_key(key: Path, progress: Progress = silent) -> str:
    """Return the public key of a private one, as PEM.

    Raises
    ------
    ReleaseError
        The file is absent, is no private key of cosign, or has another password.
    """
    try:
        text = key.read_bytes()
    except OSError as error:
        raise ReleaseError(f"KEY={key} cannot be read: {error.strerror}: correct the path, or {_MAKE_ONE}") from error
    if not any(text.lstrip().startswith(f"-----BEGIN {label}-----".encode()) for label in _LABELS):
        raise ReleaseError(
            f"KEY={key} is no private key of cosign, whose first line is -----BEGIN {_LABELS[0]}-----: {_MAKE_ONE}"
        )
    program = cosign(progress)
    try:
        return _run(program, "public-key", "--key", key)
    except CommandFailedError as failed:
        if "decryption failed" in failed.output:
            problem = f"KEY={key} cannot be decrypted: set {PASSWORD} to its password, in the environment of `make`"
        else:
            problem = f"cosign cannot read KEY={key}: {_reason(failed)}: {_MAKE_ONE}"
        raise ReleaseError(problem) from failed


def sign_in_registry(key: Path, reference: str) -> None:
    """Push the signature of an image or chart, and of all that its index names, beside it; a second one is not added.

    Parameters
    ----------
    reference
        With its digest: `registry.example.org/kwitness/operator@sha256:…`.

    Raises
    ------
    ReleaseError
        The registry is away, refuses, or has no such digest.
    """
    plain = ["--allow-http-registry"] if is_loopback(reference) else []
    try:
        _run(cosign(), "sign", "--key", key, *_NO_LOG, "--recursive", *plain, reference)
    except CommandFailedError as failed:
        reason = _reason(failed)
        remedy = registry_remedy(reason, sign_in="docker login")
        raise ReleaseError(f"{reference} could not be signed: {reason}: {remedy}") from failed


def sign_file(key: Path, file: Path, signature: Path) -> None:
    """Write the signature of a file into another one, in base64.

    Raises
    ------
    ReleaseError
        cosign cannot sign it.
    """
    try:
        _run(cosign(), "sign-blob", "--key", key, *_NO_LOG, "--output-signature", signature, file)
    except CommandFailedError as failed:
        raise ReleaseError(f"{file} could not be signed with {key}: {_reason(failed)}") from failed


def _run(program: Path, *arguments: str | Path) -> str:
    # Where the variable is absent, cosign waits for a person.
    return run([program, *arguments], environment={PASSWORD: os.environ.get(PASSWORD, "")})


def _reason(failed: CommandFailedError) -> str:
    return failed.output.strip().splitlines()[-1].removeprefix("error during command execution: ")


if __name__ == "__main__":
    print(cosign(lambda line: print(line, file=sys.stderr)))
