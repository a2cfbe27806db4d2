"""A process that works until it is told to stop: its signals, its version, its exit code."""

from __future__ import annotations

import asyncio
import importlib.metadata
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, TypeVar

from kwitness.runtime.json_logging import configure_logging
from kwitness.runtime.settings_file import SettingsError

__all__ = ["installed_version", "serve", "stop_at_signals"]


class _Settings(Protocol):
    @property
    def log_level(self) -> str: ...


S = TypeVar("S", bound=_Settings)


def serve(
    name: str, default_file: Path, load: Callable[[Path], S], run: Callable[[S, asyncio.Event], Awaitable[None]]
) -> int:
    """Run with the settings of the command line's file, until a signal.

    Returns
    -------
    int
        The exit code: 0 after a signal, 1 when something ended that must not, 2 for wrong settings.
    """
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else default_file
    configure_logging("INFO")
    log = logging.getLogger("__main__")
    try:
        settings = load(path)
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
        log.exception("%s stopped on an unexpected error", name)
        return 1
    return 0


def stop_at_signals(stop: asyncio.Event) -> None:
    """Set ``stop`` at SIGTERM and SIGINT. Call it in the loop of the main thread."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)


def installed_version() -> str:
    """The version of the installed package; ``unknown`` where there are the sources alone, as in images."""
    try:
        return importlib.metadata.version("kwitness")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
