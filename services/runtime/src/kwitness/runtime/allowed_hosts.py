"""Before a credential of a mounted Secret is sent: does the Secret name the host? (docs/decisions/0023)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kwitness.contracts.allowed_hosts import CredentialHosts, MalformedHostsError

__all__ = ["HostNotAllowedError", "check"]


class HostNotAllowedError(Exception):
    """A credential would go to a host that its Secret does not name."""


def check(addresses: Iterable[str], hosts_file: str | None, installation: str | None, purpose: str) -> None:
    """Raise `HostNotAllowedError` unless every address is allowed.

    The file beside the credential and what the `installation` says count where they are there; one of them must be.
    """
    try:
        hosts = CredentialHosts.of(_read(hosts_file), installation)
    except OSError as error:
        raise HostNotAllowedError(f"the key hosts of the Secret for {purpose}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise HostNotAllowedError(f"the key hosts of the Secret for {purpose} is not text") from error
    except MalformedHostsError as error:
        raise HostNotAllowedError(f"the Secret for {purpose}: {error}") from error
    if not hosts.lists:
        raise HostNotAllowedError(f"the Secret for {purpose} has no key hosts, and credentials.hosts does not name it")
    for address in addresses:
        if not hosts.allows(address):
            raise HostNotAllowedError(
                f"{address} is not among the hosts that the Secret for {purpose} names; add it to the key hosts"
            )


def _read(hosts_file: str | None) -> str | None:
    try:
        return None if hosts_file is None else Path(hosts_file).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
