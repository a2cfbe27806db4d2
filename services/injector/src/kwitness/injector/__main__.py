"""``python -m kwitness.injector [settings.json]``: answer reviews and probes, until told to stop."""

from __future__ import annotations

import sys

from kwitness.injector.process import run
from kwitness.injector.settings import DEFAULT_SETTINGS_FILE, load_settings
from kwitness.runtime.service import serve


def main() -> int:
    """Return the exit code: 0 after a signal, 1 when something ended that must not, 2 for wrong settings."""
    return serve("The injector", DEFAULT_SETTINGS_FILE, load_settings, run)


if __name__ == "__main__":
    sys.exit(main())
