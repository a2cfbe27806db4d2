"""The operator as in its image, where the library of the tests is not; kopf would spend seconds on it."""

from __future__ import annotations

import sys

sys.modules["kubernetes"] = None  # type: ignore[assignment]

from kwitness.operator.__main__ import main  # noqa: E402 - what it imports is not to find the library

if __name__ == "__main__":
    sys.exit(main())
