"""``python -m kwitness.injector [settings.json]``: answer reviews and probes, until told to stop."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path

from kwitness.injector.process import run, stop_at_signals
from kwitness.injector.settings import DEFAULT_SETTINGS_FILE, SettingsError, load_settings
from kwitness.runtime.json_logging import configure_logging


def main() -> int:
    """Return the exit code: 0 after a signal, 1 when something ended that must not, 2 for wrong settings."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_SETTINGS_FILE
    configure_logging("INFO")
    log = logging.getLogger(__name__)
    try:
        settings = load_settings(path)
    except SettingsError as error:
        log.error("The settings are wrong", extra={"detail": str(error)})  # noqa: TRY400 - its own words say it all
        return 2
    configure_logging(settings.log_level)

    async def until_signalled() -> None:
        stop = asyncio.Event()
        stop_at_signals(stop)
        await run(settings, stop)

    try:
        asyncio.run(until_signalled())
    except Exception:
        log.exception("The injector stopped on an unexpected error")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
