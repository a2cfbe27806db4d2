"""Checks in the first second what would make a demo fail later; needs the standard library alone."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Final

from kwitness.e2e import capacity
from kwitness.images import container_engine
from kwitness.images.cache import cache_folder

NODE: Final = "kwitness-demo"
"""The demo's node. Tests have another, so that they leave a running demo alone."""
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_PROXIES: Final = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


class DemoRunsError(Exception):
    """Another `make demo` of this user runs."""


@contextlib.contextmanager
def only_demo() -> Iterator[None]:
    """Keep other demos of this user away until the block ends, or this process does.

    Raises
    ------
    DemoRunsError
        One runs already; the message says where.
    """
    file = cache_folder() / "demo.lock"
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            where = lock.read() or "unknown"
            raise DemoRunsError(
                f"another demo is being started or removed (process {where}): wait for it, or end it there by Ctrl-C"
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()} in {Path.cwd()}")
        lock.flush()
        yield


def obstacles(cluster: str) -> list[str]:
    """Return a line for each thing that a demo on `node` or `current` cannot do without, with what to do."""
    lines: list[str] = []
    try:
        with only_demo():
            pass
    except DemoRunsError as error:
        lines.append(str(error))
    if cluster == "current":
        return [*lines, *_without_kubeconfig()]
    if not container_engine.container_exists(NODE) and (shortages := capacity.shortages(capacity.DEMO_GIB)):
        shortages[-1] += "; `make try` needs no Kubernetes, 1.4 GiB of memory and 0.5 GiB of disk"
        lines += shortages
    return lines


def notes(environment: MutableMapping[str, str]) -> list[str]:
    """Return a line for each thing that a person should know; loopback needs no proxy from then on."""
    lines = []
    if len(os.sched_getaffinity(0)) == 1:
        lines.append('one processor: builds take twice as long as on two; PARTS="clients gateway" leaves out Spark')
    if exempt_loopback(environment):
        lines.append("a proxy is set: NO_PROXY of this demo has loopback, where its servers are")
    return lines


def exempt_loopback(environment: MutableMapping[str, str]) -> bool:
    """Add loopback to NO_PROXY where a proxy is set without it; True when that was needed."""
    if not any(environment.get(name) for name in _PROXIES):
        return False
    exempt = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    names = [name.strip() for name in exempt.split(",") if name.strip()]
    missing = [name for name in _LOOPBACK if name not in names and "*" not in names]
    # Programs differ in which of the two they read.
    environment["NO_PROXY"] = environment["no_proxy"] = ",".join([*names, *missing])
    return bool(missing)


def _without_kubeconfig() -> list[str]:
    files = os.environ.get("KUBECONFIG") or str(Path.home() / ".kube" / "config")
    if any(Path(file).is_file() for file in files.split(os.pathsep)):
        return []
    return [f"CLUSTER=current needs a kubeconfig with a current context, and {files} is none: set KUBECONFIG"]
