"""Names the person who reads pages, and the namespaces whose clients that person may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["MOST_NAMESPACES", "Reader", "TooManyNamespacesError"]

MOST_NAMESPACES: Final = 256
"""Namespaces of one reader. The namespaces of each row are compared with all of them."""


class TooManyNamespacesError(ValueError):
    """A reader has more namespaces than `MOST_NAMESPACES`."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A person, as the door let that person in.

    Parameters
    ----------
    name
        Name of the person; pages and logs show it.
    namespaces
        Namespaces whose clients the person may see; None is all clients, those without a namespace among them.

    Raises
    ------
    TooManyNamespacesError
        There are more namespaces than `MOST_NAMESPACES`.
    """

    name: str
    namespaces: frozenset[str] | None

    def __post_init__(self) -> None:
        if self.namespaces is not None and len(self.namespaces) > MOST_NAMESPACES:
            raise TooManyNamespacesError(
                f"{self.name} may see clients in {len(self.namespaces)} namespaces, and the console compares "
                f"{MOST_NAMESPACES} at most: grant the right in fewer namespaces, or in all of them by a "
                "ClusterRoleBinding"
            )

    @property
    def sees_all(self) -> bool:
        """True where no row is hidden."""
        return self.namespaces is None
