"""Is run by every Python program that has this folder in PYTHONPATH, before the program's own code.

Programs started with -I, -E or -S are not reached. `KWITNESS_OFF=1` is read before anything else.
A sitecustomize that this one hides is run after it, whatever happens here.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _start():
    if os.environ.get("KWITNESS_OFF") == "1":
        return
    import importlib.util

    # Loaded from here: no folder before this one in the path can have another package of the name.
    init = os.path.join(_FOLDER, "kwitness_interceptors", "__init__.py")
    spec = importlib.util.spec_from_file_location(
        "kwitness_interceptors", init, submodule_search_locations=[os.path.dirname(init)]
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["kwitness_interceptors"] = package
    try:
        spec.loader.exec_module(package)
        package.install()
    except BaseException:
        for name in [name for name in sys.modules if name.partition(".")[0] == "kwitness_interceptors"]:
            del sys.modules[name]
        raise


def _run_hidden():
    """Import the sitecustomize that would have run without this one; what it raises is for the interpreter to say."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    others = [entry for entry in sys.path if os.path.abspath(entry or os.getcwd()) != _FOLDER]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


try:
    _start()
except Exception as error:  # the application starts, whatever is wrong here
    sys.stderr.write(
        "kwitness: interceptors are not installed in this process (%s: %s)\n" % (type(error).__name__, error)
    )
_run_hidden()
