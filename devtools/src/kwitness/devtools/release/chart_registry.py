"""Pushes charts to the registry by Helm, and says in words of its operator why it refuses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kwitness.devtools.release.registry import is_loopback, registry_remedy
from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.e2e import binaries
from kwitness.images.commands import CommandFailedError, run, silent

__all__ = ["push_chart"]

_DIGEST: Final = re.compile(r"^Digest: (sha256:[0-9a-f]{64})$", re.MULTILINE)


def push_chart(release: Release, package: Path) -> str:
    """Push a packaged chart and return the digest that the registry knows it by.

    Raises
    ------
    ReleaseError
        The registry is away or refuses.
    """
    target = f"oci://{release.registry.rstrip('/')}/{release.identity.charts}"
    plain = ["--plain-http"] if is_loopback(release.registry) else []
    try:
        # Helm writes the digest to standard error.
        output = run([binaries.helm(), "push", package, target, *plain], on_line=silent)
    except CommandFailedError as error:
        reason = error.output.strip().splitlines()[-1]
        remedy = registry_remedy(reason, sign_in="helm registry login")
        raise ReleaseError(f"{package.name} could not be pushed to {target}: {reason}: {remedy}") from error
    found = _DIGEST.search(output)
    if found is None:
        raise ReleaseError(
            f"Helm reported no digest of {package.name}, but: {output.strip()!r}: use Helm 3.17 or later"
        )
    return found[1]
