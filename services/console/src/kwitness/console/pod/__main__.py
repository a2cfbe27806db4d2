"""``python -m kwitness.console.pod [settings.json]``: serves the console of a cluster until a signal ends it."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from kwitness.console.pod.process import run
from kwitness.console.pod.settings import DEFAULT_SETTINGS_FILE, load_settings
from kwitness.runtime.connections import allow_descriptors
from kwitness.runtime.service import serve


def main() -> NoReturn:
    """Serve, and end the process: 0 after a signal, 1 after an unexpected error, 2 for wrong settings."""
    allow_descriptors()
    status = serve("The console", DEFAULT_SETTINGS_FILE, load_settings, run)
    sys.stdout.flush()
    # Not sys.exit: a source may still wait for a collector, for half a minute at most.
    os._exit(status)


if __name__ == "__main__":
    main()
