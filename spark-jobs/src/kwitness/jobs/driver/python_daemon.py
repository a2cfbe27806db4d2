"""The process that Spark forks its Python workers from: what they import is there before they begin.

Spark starts it as `spark.python.daemon.module` says, on the driver and on each executor.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import PurePath

_IMPORTED = ("pyarrow", "pandas", "pyspark.sql.pandas.serializers", "kwitness.jobs.frame.job")


def without_archives(path: list[str]) -> list[str]:
    """A search path without the archives of PySpark's modules, where the modules are installed as well.

    Spark puts them first. A worker reads their directories again before each task, and compiles what it imports of
    them.
    """
    left = [entry for entry in path if not PurePath(entry).match("python/lib/*.zip")]
    return left if PathFinder.find_spec("pyspark", left) else path


def main() -> None:
    """Import what workers need, and fork one for each task that comes while the others are busy."""
    sys.path[:] = without_archives(sys.path)
    sys.path_importer_cache.clear()
    for name in _IMPORTED:
        import_module(name)
    manager = import_module("pyspark.daemon").manager
    # A worker collects garbage after each task, and need not look at what was there before it.
    gc.collect()
    gc.freeze()
    manager()


if __name__ == "__main__":
    main()
