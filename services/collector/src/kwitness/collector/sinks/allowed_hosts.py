"""Before a credential of a mounted Secret is sent: does the Secret name the host? (docs/decisions/0023)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from yarl import URL

from kwitness.contracts.allowed_hosts import AllowedHosts, MalformedHostsError, join_address


class HostNotAllowedError(Exception):
    """A credential would go to a host that its Secret does not name."""


def check(addresses: Iterable[str], hosts_file: str | None, purpose: str) -> None:
    """Raise `HostNotAllowedError` unless the file beside the credential names every address."""
    try:
        hosts = AllowedHosts.parse(Path(hosts_file).read_text(encoding="utf-8") if hosts_file else "")
    except OSError as error:
        raise HostNotAllowedError(f"the Secret for {purpose} has no key hosts: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise HostNotAllowedError(f"the key hosts of the Secret for {purpose} is not text") from error
    except MalformedHostsError as error:
        raise HostNotAllowedError(f"the Secret for {purpose}: {error}") from error
    for address in addresses:
        if not hosts.allows(address):
            raise HostNotAllowedError(
                f"{address} is not among the hosts that the Secret for {purpose} names; add it to the key hosts"
            )


def address_of(url: str) -> str:
    """Return the address of a URL, with the scheme's port where none is written, as the HTTP client will read it."""
    parsed = URL(url)
    return join_address(parsed.raw_host or "", parsed.port or 0)
