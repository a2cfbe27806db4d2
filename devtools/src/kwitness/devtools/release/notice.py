"""Writes NOTICE: whose packages a release contains, and under which licences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from kwitness.devtools.release.release import REPOSITORY, Release
from kwitness.devtools.release.third_party import Package, maven_artifacts, python_packages, rust_crates
from kwitness.images.commands import Progress

__all__ = ["SHIPPED_CRATES", "notice"]

SHIPPED_CRATES: Final = ("kwitness-observer", "kwitness-interceptors-librdkafka", "kwitness-otlp")
_LOCKS: Final = ("collector", "command", "console-server", "injector", "observer-host", "operator", "spark")
_POMS: Final = (
    "images/spark/pom.xml", "images/spark-s3a/pom.xml", "services/broker-plugin/pom.xml",
    "services/headers-java/pom.xml", "services/interceptors-java/pom.xml",
)  # fmt: skip
_HEAD: Final = """kwitness
Licensed under the Apache License, Version 2.0: see LICENSE.

Images, wheels and jars of this release contain the packages below, each under its own licence. Packages of Debian in
the images keep theirs in /usr/share/doc/*/copyright there; the jars that PySpark contains are named in its own NOTICE.
"""


def notice(release: Release, progress: Progress) -> None:
    """Write `NOTICE`."""
    sections = {
        "Python": {package for lock in _LOCKS for package in python_packages(REPOSITORY / "locks" / f"{lock}.txt")},
        "Rust": set(rust_crates(*SHIPPED_CRATES)),
        "Java": {package for pom in _POMS for package in maven_artifacts(REPOSITORY / pom)},
    }
    text = "\n".join([_HEAD, *(_section(language, packages) for language, packages in sections.items())])
    (release.folder(".") / "NOTICE").write_text(text, encoding="utf-8")
    progress(f"NOTICE: {sum(map(len, sections.values()))} packages of others")


def _section(language: str, packages: Iterable[Package]) -> str:
    lines = (f"- {package.name} {package.version}: {package.licence}\n" for package in sorted(packages))
    return f"{language}\n\n{''.join(lines)}"
