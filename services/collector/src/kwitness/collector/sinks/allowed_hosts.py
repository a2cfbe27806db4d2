"""The rule that a credential goes only to the hosts its Secret names (docs/decisions/0023)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit


class HostNotAllowedError(Exception):
    """A credential would go to a host that its Secret does not name."""


def is_allowed(address: str, hosts: str) -> bool:
    """Whether ``host:port`` is in ``hosts``: a comma list of ``host:port`` or ``*.suffix:port``."""
    host, _, port = address.lower().rpartition(":")
    for entry in hosts.lower().split(","):
        allowed, _, allowed_port = entry.strip().rpartition(":")
        if allowed_port != port or not allowed:
            continue
        if allowed == host or (allowed.startswith("*.") and host.endswith(allowed[1:]) and host != allowed[2:]):
            return True
    return False


def check(addresses: Iterable[str], hosts_file: str | None, purpose: str) -> None:
    """Raise `HostNotAllowedError` unless the file beside the credential names every address."""
    try:
        hosts = Path(hosts_file).read_text() if hosts_file else ""
    except OSError as error:
        raise HostNotAllowedError(f"the Secret for {purpose} has no key hosts: {error.strerror}") from error
    for address in addresses:
        if not is_allowed(address, hosts):
            raise HostNotAllowedError(
                f"{address} is not among the hosts that the Secret for {purpose} names; add it to the key hosts"
            )


def address_of(url: str) -> str:
    """Return ``host:port`` of a URL, with the scheme's port where none is written."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
