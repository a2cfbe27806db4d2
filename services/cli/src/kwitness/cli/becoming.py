"""Has the command become a program of an extra of its own, with the options that name a cluster."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from kwitness.cli.options import Options

__all__ = ["become", "missing_library"]


def missing_library(extra: str, libraries: Sequence[str]) -> str:
    """Return a sentence about a library of an extra that is not installed; empty if none is missing."""
    missing = [name for name in libraries if importlib.util.find_spec(name) is None]
    if not missing:
        return ""
    return (
        f"{missing[0]} is not installed: install the extra `{extra}`, as in "
        f"`pip install --find-links dist 'kwitness[{extra}]'`"
    )


def become(program: str, options: Options, more: Mapping[str, Any], *flags: str) -> NoReturn:
    """Replace this process by a module's program, so that terminal, signals and exit status are its own.

    Parameters
    ----------
    more
        Further options and their values; None is not given.
    """
    given = {
        "--kubeconfig": options.kubeconfig,
        "--context": options.context,
        "--namespace": options.namespace,
        "--collector-address": options.collector,
        **more,
    }
    arguments = [f"{name}={value}" for name, value in given.items() if value is not None]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", program, *arguments, *flags])
