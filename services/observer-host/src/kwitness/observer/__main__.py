"""``python -m kwitness.observer [host.json]``: read requests and call observers, until told to stop."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from kwitness.contracts.observer_host_config import ObserverHostConfig
from kwitness.observer.host.process import run
from kwitness.runtime.service import serve
from kwitness.runtime.settings_file import read_settings

DEFAULT_FILE: Final = Path("/etc/kwitness/observer-host/host.json")
"""Where the operator mounts it."""


def main() -> int:
    """Return the exit code: 0 after a signal, 1 when something ended that must not, 2 for wrong settings."""
    return serve("The observer host", DEFAULT_FILE, lambda path: read_settings(path, ObserverHostConfig), run)


if __name__ == "__main__":
    sys.exit(main())
