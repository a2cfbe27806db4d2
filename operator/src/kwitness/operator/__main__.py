"""``python -m kwitness.operator [settings.json]``: watch, work, answer probes, until told to stop."""

from __future__ import annotations

import sys

from kwitness.operator.process import run
from kwitness.operator.settings import DEFAULT_SETTINGS_FILE, load_settings
from kwitness.runtime.service import serve


def main() -> int:
    """Return the exit code: 0 after a signal, 1 when something ended that must not, 2 for wrong settings."""
    return serve("Operator", DEFAULT_SETTINGS_FILE, load_settings, run)


if __name__ == "__main__":
    sys.exit(main())
