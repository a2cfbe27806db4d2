"""A process's settings: one JSON file, rendered by the chart into a mounted ConfigMap and read at the start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

__all__ = ["SettingsError", "read_settings"]

M = TypeVar("M", bound=BaseModel)


class SettingsError(Exception):
    """The settings file cannot be read or is wrong; names file, field and reason."""


def read_settings(path: Path, model: type[M]) -> M:
    """Read the settings file.

    Raises
    ------
    SettingsError
        If the file cannot be read, is not JSON, or a field is wrong.
    """
    try:
        return model.model_validate(json.loads(path.read_text()))
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror}); the chart mounts it") from error
    except json.JSONDecodeError as error:
        raise SettingsError(f"{path}: not JSON ({error})") from error
    except ValidationError as error:
        details = "; ".join(
            f"{'.'.join(str(part) for part in issue['loc']) or 'settings'}: {issue['msg']}" for issue in error.errors()
        )
        raise SettingsError(f"{path}: {details}") from error
