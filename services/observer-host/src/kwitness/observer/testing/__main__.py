"""``python -m kwitness.observer.testing shop.audit.Orders``: replay events into a class and say what was called."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kwitness.observer.loading import UnusableObserverError, find_observer, reason_of
from kwitness.observer.testing.replay import RECORDED, read_events, replay


def main() -> int:
    """Return the exit code: 0 when every call returned, 1 when one raised, 2 when there was nothing to call."""
    parser = argparse.ArgumentParser(
        prog="python -m kwitness.observer.testing", description="Replay events into a class."
    )
    parser.add_argument("class_name", metavar="CLASS", help="full name of the class, such as shop.audit.Orders")
    parser.add_argument("--events", type=Path, default=RECORDED, help="records of kwitness.requests, one JSON a line")
    parser.add_argument("--config", action="append", default=[], metavar="KEY=VALUE", help="a setting for configure")
    given = parser.parse_args()
    sys.path.insert(0, str(Path.cwd()))
    try:
        config = dict(_setting(text) for text in given.config)
        events = list(read_events(given.events))
        kind = find_observer(given.class_name)
    except (UnusableObserverError, ValueError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    try:
        replay(kind, events, config=config)
    except UnusableObserverError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except Exception as error:  # noqa: BLE001 - the class may raise anything
        sys.stderr.write(f"{given.class_name} raised {reason_of(error)}\n")
        return 1
    sys.stdout.write(f"{given.class_name} took {len(events)} events\n")
    return 0


def _setting(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign:
        raise ValueError(f"--config {text}: write KEY=VALUE")
    return key, value


if __name__ == "__main__":
    sys.exit(main())
