"""Signs files with an OpenPGP key, which Maven's repositories ask for; images are signed with a key of another kind."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kwitness.devtools.release.release import ReleaseError
from kwitness.images.commands import CommandFailedError, run

__all__ = ["PASSPHRASE", "sign_files"]

PASSPHRASE: Final = "OPENPGP_PASSPHRASE"  # noqa: S105 - its name
"""Variable with the passphrase of the key; a key without one needs none."""


def sign_files(files: Iterable[Path], key: Path) -> None:
    """Write an armoured signature beside each file, with `.asc` after its name.

    Parameters
    ----------
    key
        File with one secret key, as `gpg --export-secret-keys` writes it. It is imported into a keyring that exists
        during the call alone.

    Raises
    ------
    ReleaseError
        GnuPG is absent, the file has no secret key or more than one, or the passphrase is wrong.
    """
    if shutil.which("gpg") is None:
        raise ReleaseError("`gpg` is not on the PATH, and an OpenPGP key is given: apt-get install gnupg")
    with _keyring() as gpg:
        _run([*gpg, "--import", key], f"cannot import {key}: is it what `gpg --export-secret-keys` has written?")
        listed = _run([*gpg, "--list-secret-keys", "--with-colons"], f"cannot list the keys of {key}")
        keys = [line.split(":")[4] for line in listed.splitlines() if line.startswith("sec:")]
        if len(keys) != 1:
            raise ReleaseError(f"{key} has {len(keys)} secret keys, and one signs: export that one alone")
        for file in files:
            signature = file.with_name(f"{file.name}.asc")
            signature.unlink(missing_ok=True)
            options: list[str | Path] = ["--local-user", keys[0], "--armor", "--detach-sign", "--output", signature]
            _run([*gpg, *options, file], f"cannot sign with {key}: is ${PASSPHRASE} its passphrase?")


@contextmanager
def _keyring() -> Iterator[list[str]]:
    """Yield a command of GnuPG with an empty keyring; its agent ends with it."""
    # Its sockets are below it, and names of sockets are short.
    with tempfile.TemporaryDirectory(prefix="gpg-", dir="/tmp") as home:
        try:
            options = ["--batch", "--quiet", "--no-tty", "--pinentry-mode", "loopback", "--passphrase-fd", "0"]
            yield ["gpg", "--homedir", home, *options]
        finally:
            run(["gpgconf", "--homedir", home, "--kill", "all"])


def _run(command: list[str | Path], problem: str) -> str:
    try:
        return run(command, input_text=os.environ.get(PASSPHRASE, ""))
    except CommandFailedError as failed:
        raise ReleaseError(f"{problem} GnuPG says: {failed.output.strip()}") from failed
