"""Reads the names under which releases are published, from `devtools/release/identity.toml`."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["IDENTITY_FILE", "Identity", "read_identity"]

IDENTITY_FILE: Final = Path(__file__).resolve().parents[4] / "release" / "identity.toml"
_PLACEHOLDER: Final = "example.org"


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The names; the file describes each."""

    repository: str
    registry: str
    images: str
    charts: str
    downloads: str
    team: str
    group: str

    def placeholders(self) -> list[str]:
        """Return the names of fields that still have an example's value."""
        return [name for name, value in dataclasses.asdict(self).items() if _PLACEHOLDER in value]


def read_identity(file: Path = IDENTITY_FILE) -> Identity:
    """Read the file.

    Raises
    ------
    TypeError
        A field is missing or has another name.
    """
    return Identity(**tomllib.loads(file.read_text(encoding="utf-8")))
