"""Checks files of others that the console sends to browsers: unchanged, with their licence."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files

import pytest

STATIC = files("kwitness.console") / "static"
HTMX = "htmx.org 2.0.11"
UPLOT = "uplot 1.6.32"
SHA256 = {
    "htmx.min.js": "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717",
    "htmx.LICENSE": "d3d2456f76414f2456104660ebd65aff1c04cd7966b942bdabd63f3cdb316a38",
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    "uPlot.LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
}
"""Of files in `dist`, and of `LICENSE`, of the npm packages of these versions."""


@pytest.mark.parametrize("name", SHA256)
def test_a_file_of_others_is_that_of_its_release(name: str) -> None:
    assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() == SHA256[name]


def test_htmx_is_of_the_version_that_is_named_and_may_be_given_on() -> None:
    version = HTMX.partition(" ")[2]

    assert f'version:"{version}"' in (STATIC / "htmx.min.js").read_text()
    assert (STATIC / "htmx.LICENSE").read_text().startswith("Zero-Clause BSD")


def test_uplot_is_of_the_version_that_is_named_and_may_be_given_on() -> None:
    version = UPLOT.partition(" ")[2]

    assert f"(v{version})" in (STATIC / "uPlot.iife.min.js").read_text()
    assert (STATIC / "uPlot.LICENSE").read_text().startswith("The MIT License (MIT)")


def test_no_style_moves_anything() -> None:
    style = (STATIC / "console.css").read_text()

    assert "transition" not in style
    assert re.findall(r"animation[^;]*;", style) == ["animation: appear 0s linear 0.3s forwards;"]
    assert re.findall(r"@keyframes.*", style) == ["@keyframes appear { to { visibility: visible; } }"]
