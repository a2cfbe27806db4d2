"""OpenTelemetry's packages for applications in these tests; nothing of ours needs them."""

from __future__ import annotations

import sys
from pathlib import Path

from kwitness.images import cache
from kwitness.images.commands import run
from kwitness.images.image_parts import find_uv

_LOCK = Path(__file__).resolve().parents[2] / "bench/peers/opentelemetry.txt"


def opentelemetry_packages() -> Path:
    """Return a folder with them, fetched once."""

    def fetch(folder: Path) -> None:
        options = ["--quiet", "--no-deps", "--require-hashes", "--python", sys.executable]
        run([find_uv(), "pip", "install", *options, "--target", folder, "--requirements", _LOCK])

    return cache.cached_folder("opentelemetry-python", cache.content_key(_LOCK), fetch)
