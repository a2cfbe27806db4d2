"""Reads the keys of an object store from the files of a mounted Secret."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

__all__ = ["KEYS_FOLDER", "store_keys"]

KEYS_FOLDER: Final = "KWITNESS_STORE_KEYS"
"""The variable with the folder; the chart sets it."""
_VARIABLES: Final = {
    "accessKeyId": "AWS_ACCESS_KEY_ID",
    "secretAccessKey": "AWS_SECRET_ACCESS_KEY",
    "sessionToken": "AWS_SESSION_TOKEN",
}
"""Variables that the reader of tables knows, by the key of the Secret."""


def store_keys() -> Mapping[str, str]:
    """Return variables with the keys that the files have now: the kubelet replaces them when the Secret changes."""
    folder = os.environ.get(KEYS_FOLDER)
    if not folder:
        return {}
    files = {variable: Path(folder, key) for key, variable in _VARIABLES.items()}
    return {variable: file.read_text().strip() for variable, file in files.items() if file.is_file()}
