"""Addresses that nothing connects to, however a name leads there: by default the link-local ones.

At these a cloud answers each machine with its credentials. A resource names the server, so the writer of the resource
chooses where operator and collectors connect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final

__all__ = ["LINK_LOCAL", "DeniedAddresses"]

AddressInfo = tuple[Any, ...]
LINK_LOCAL: Final = ("169.254.0.0/16", "fe80::/10")
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
"""IPv4 behind a translator, in the last 32 bits. Source: RFC 6052."""


@dataclass(frozen=True, slots=True)
class DeniedAddresses:
    """Networks, as `192.0.2.0/24` or `2001:db8::/32`."""

    networks: tuple[str, ...] = LINK_LOCAL

    @classmethod
    def from_networks(cls, networks: Sequence[str]) -> DeniedAddresses:
        """Check and keep networks.

        Raises
        ------
        ValueError
            If one is none.
        """
        return cls(tuple(str(ip_network(network)) for network in networks))

    def deny(self, address: str) -> bool:
        """Return whether an IP address is in one of them, also as an IPv6 address that stands for an IPv4 one."""
        unwrapped = _unwrapped(ip_address(address.partition("%")[0]))
        return any(_has(ip_network(network), unwrapped) for network in self.networks)

    def allowed(self, found: Iterable[AddressInfo]) -> list[AddressInfo]:
        """Return the entries of `socket.getaddrinfo` that may be dialed."""
        return [entry for entry in found if not self.deny(str(entry[4][0]))]


def _has(network: IPv4Network | IPv6Network, address: IPv4Address | IPv6Address) -> bool:
    return network.version == address.version and address in network


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    if isinstance(address, IPv4Address):
        return address
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address
