"""Describes packages as SPDX has them: an identifier, a package URL, and the licence that is declared."""

from __future__ import annotations

import re
from typing import Any, Final

from license_expression import ExpressionError, LicenseExpression, get_spdx_licensing
from spdx_tools.spdx.model import (
    Checksum,
    ChecksumAlgorithm,
    ExternalPackageRef,
    ExternalPackageRefCategory,
    Package,
    SpdxNoAssertion,
)

from kwitness.devtools.release.third_party import Package as ThirdParty

__all__ = ["described", "package_url", "spdx_package"]

_LICENSING: Final = get_spdx_licensing()
_NOT_OF_IDENTIFIERS: Final = re.compile(r"[^A-Za-z0-9.-]+")


def spdx_package(package: ThirdParty) -> Package:
    """Return a package of others that locks name."""
    return described(package.kind, package.name, package.version, package.url, licence=package.licence)


def described(
    kind: str,
    name: str,
    version: str | None,
    url: str,
    *,
    licence: str = "",
    sha256: str | None = None,
    file_name: str | None = None,
) -> Package:
    """Return a package of which files are not listed.

    Parameters
    ----------
    kind
        Type of its package URL, such as `pypi`; with name and version it makes the identifier.
    version
        None where only a range is known.
    licence
        As its authors declare it. A text that is no expression of SPDX's licences becomes a comment.
    sha256
        Of the file, hexadecimal.
    """
    expression = _expression(licence)
    parts = (kind, name, version) if version else (kind, name)
    return Package(
        spdx_id=f"SPDXRef-{_NOT_OF_IDENTIFIERS.sub('-', '-'.join(parts))}",
        name=name,
        version=version,
        file_name=file_name,
        download_location=SpdxNoAssertion(),
        files_analyzed=False,
        checksums=[] if sha256 is None else [Checksum(ChecksumAlgorithm.SHA256, sha256)],
        license_concluded=SpdxNoAssertion(),
        license_declared=SpdxNoAssertion() if expression is None else expression,
        license_comment=f"Declared as: {licence}" if licence and expression is None else None,
        copyright_text=SpdxNoAssertion(),
        external_references=[package_url(url)],
    )


def package_url(url: str) -> ExternalPackageRef:
    """Return a reference that is a package URL (purl), by which scanners find weaknesses."""
    return ExternalPackageRef(ExternalPackageRefCategory.PACKAGE_MANAGER, "purl", url)


def _expression(licence: str) -> LicenseExpression | None:
    try:
        # Cargo's older form of OR.
        parsed: Any = _LICENSING.parse(licence.replace("/", " OR "), validate=True)
    except ExpressionError:
        return None
    return parsed
