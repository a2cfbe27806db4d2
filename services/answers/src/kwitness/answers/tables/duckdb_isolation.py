"""Settings of a DuckDB that reaches nothing but the tables that it is given: no file, no network, no extension."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["ISOLATION"]

ISOLATION: Final[Mapping[str, str | int]] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    # Otherwise a name in a query means a variable of this program.
    "python_enable_replacements": False,
    "temp_directory": "",
    "max_temp_directory_size": "0B",
}
