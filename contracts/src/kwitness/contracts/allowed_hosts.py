"""To which hosts a credential may be sent: the rule behind the key `hosts` of a Secret.

The list is text that people write: entries between commas or line breaks, spaces and tabs around them ignored, each
`host:port`, `[IPv6]:port` or `*.suffix:port`. Whoever is about to send a credential asks for the address it would
connect to. `contracts/vectors/allowed_hosts.json` says the same in examples, which every language runs.
See docs/decisions/0023.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv6Address

__all__ = ["AllowedHosts", "CredentialHosts", "MalformedHostsError", "canonical_address", "join_address"]

# ASCII alone: what a resolver makes of other letters and digits differs between languages.
_NAME = r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*"
_ADDRESS = re.compile(rf"(?:(?P<name>(?:\*\.)?{_NAME})\.?|\[(?P<ipv6>[0-9A-Fa-f:]+)\]):0*(?P<port>[1-9][0-9]{{0,4}})")
_SEPARATOR = re.compile(r"[,\r\n]")
_HIGHEST_PORT = 65_535
_ANY = "*."


class MalformedHostsError(ValueError):
    """A list has an entry of no known form, so it allows nothing; the message tells which one."""


def join_address(host: str, port: int) -> str:
    """Write a host and a port as one address, with brackets around an IPv6 address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def canonical_address(address: str) -> str | None:
    """Return the one spelling of a `host:port` or `[IPv6]:port`, or None for any other text.

    Lower case, without a dot at the end, without leading zeros in the port, with all eight groups of an IPv6 address.
    """
    entry = _canonical(address)
    return None if entry is None or entry.startswith(_ANY) else entry


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """One list, its entries in canonical form."""

    entries: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> AllowedHosts:
        """Read the text of a key `hosts`; without an entry it allows nothing.

        Raises
        ------
        MalformedHostsError
            If an entry is none of the three forms. It is named by its place: the text may be a mistaken password.
        """
        entries = [stripped for entry in _SEPARATOR.split(text) if (stripped := entry.strip(" \t"))]
        canonical: list[str] = []
        for place, entry in enumerate(entries, 1):
            found = _canonical(entry)
            if found is None:
                raise MalformedHostsError(
                    f"entry {place} of the key hosts is none of host:port, [IPv6]:port and *.suffix:port: correct it"
                )
            canonical.append(found)
        return cls(tuple(canonical))

    def allows(self, address: str) -> bool:
        """Whether a credential may be sent to this `host:port` or `[IPv6]:port`.

        `*.suffix` stands for every name below the suffix, at any depth, and not for the suffix itself.
        """
        wanted = canonical_address(address)
        return wanted is not None and any(
            wanted == entry or (entry.startswith(_ANY) and wanted.endswith(entry.removeprefix("*")))
            for entry in self.entries
        )


@dataclass(frozen=True, slots=True)
class CredentialHosts:
    """The lists that bound one credential: its Secret's, and what the installation says of that Secret."""

    lists: tuple[AllowedHosts, ...]

    @classmethod
    def of(cls, own: str | None, installation: str | None) -> CredentialHosts:
        """Read both texts; `own` is None where the Secret has no key `hosts`, `installation` where nothing is said.

        Raises
        ------
        MalformedHostsError
            As `AllowedHosts.parse`.
        """
        return cls(tuple(AllowedHosts.parse(text) for text in (own, installation) if text is not None))

    def allows(self, address: str) -> bool:
        """Whether the credential may be sent to this address: there is a list, and every list allows it."""
        return bool(self.lists) and all(hosts.allows(address) for hosts in self.lists)


def _canonical(text: str) -> str | None:
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found["port"]) > _HIGHEST_PORT:
        return None
    if found["ipv6"] is not None:
        host = _canonical_ipv6(found["ipv6"])
        return host and f"[{host}]:{found['port']}"
    name = found["name"].lower()
    # An IPv4 address has no names below it.
    if name.startswith(_ANY) and name.rpartition(".")[2].isdigit():
        return None
    return f"{name}:{found['port']}"


def _canonical_ipv6(text: str) -> str | None:
    try:
        packed = IPv6Address(text).packed
    except AddressValueError:
        return None
    return ":".join(f"{packed[at] << 8 | packed[at + 1]:x}" for at in range(0, len(packed), 2))
