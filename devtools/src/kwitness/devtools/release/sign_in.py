"""Signs in to the registry of `identity.toml` with a user and a password of the environment: `make sign-in`.

Helm keeps them in Docker's settings, where the programs that push images, charts and signatures read them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kwitness.devtools.release.identity import Identity, read_identity
from kwitness.devtools.release.registry import is_loopback
from kwitness.devtools.release.release import ReleaseError
from kwitness.e2e import binaries

__all__ = ["PASSWORD", "USER", "sign_in"]

USER: Final = "KWITNESS_REGISTRY_USER"
PASSWORD: Final = "KWITNESS_REGISTRY_PASSWORD"  # noqa: S105 - its name


def sign_in(registry: str, environment: Mapping[str, str]) -> None:
    """Sign in to the host of a registry, `host[:port][/path]`.

    Raises
    ------
    ReleaseError
        User or password are absent, or the registry is away or refuses them.
    """
    if absent := [name for name in (USER, PASSWORD) if not environment.get(name)]:
        raise ReleaseError(f"{' and '.join(absent)} have no value: give a user who may push to {registry}")
    host = registry.partition("/")[0]
    settings = Path(environment.get("DOCKER_CONFIG") or Path.home() / ".docker") / "config.json"
    user = ["--username", environment[USER], "--password-stdin"]
    options: list[str | Path] = [*user, "--registry-config", settings]
    if is_loopback(host):
        options.append("--plain-http")
    command = [binaries.helm(), "registry", "login", host, *options]
    done = subprocess.run(command, input=environment[PASSWORD], capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1]
        raise ReleaseError(
            f"{environment[USER]} cannot sign in to {host}: {reason}: correct {USER} and {PASSWORD}, "
            "or the registry in devtools/release/identity.toml"
        )


def _registry(identity: Identity) -> str:
    if "registry" in identity.placeholders():
        raise ReleaseError(
            f"{identity.registry} in devtools/release/identity.toml is an example: write your registry there"
        )
    return identity.registry


def main() -> int:
    """Sign in; 1 with a reason where that fails."""
    try:
        sign_in(_registry(read_identity()), os.environ)
    except ReleaseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
