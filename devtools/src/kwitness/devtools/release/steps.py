"""Lists the steps of a release, in their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from kwitness.devtools.release.bills.step import bills
from kwitness.devtools.release.charts import charts
from kwitness.devtools.release.check import check
from kwitness.devtools.release.checksums import checksums
from kwitness.devtools.release.crates import crates
from kwitness.devtools.release.images import images
from kwitness.devtools.release.krew import krew
from kwitness.devtools.release.manifests import manifests
from kwitness.devtools.release.maven import maven
from kwitness.devtools.release.notice import notice
from kwitness.devtools.release.provenance import provenance
from kwitness.devtools.release.python import python
from kwitness.devtools.release.release import Release
from kwitness.devtools.release.signatures import signatures
from kwitness.images.commands import Progress

__all__ = ["STEPS", "Step"]

Step = Callable[[Release, Progress], None]
"""Makes files below `release.out`, or pushes to `release.registry`; run again, it replaces what it made."""

STEPS: Final[Mapping[str, Step]] = {
    "check": check,
    "images": images,
    "charts": charts,
    "manifests": manifests,
    "python": python,
    "maven": maven,
    "crates": crates,
    "krew": krew,
    "notice": notice,
    "bills": bills,
    "provenance": provenance,
    "checksums": checksums,
    "signatures": signatures,
}
