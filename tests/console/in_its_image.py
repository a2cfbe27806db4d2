"""Runs the pod's program with the modules of its image, in a process that was forked from one of all components."""

from __future__ import annotations

import sys

from kwitness.console.pod.__main__ import main

if __name__ == "__main__":
    # The operator's image has no such library, so its tests hide it in the process from which all are forked.
    if sys.modules.get("kubernetes", sys) is None:
        del sys.modules["kubernetes"]
    main()
