"""Reads SPDX documents by package URLs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def packages(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the packages of a document by their URLs."""
    return {_url(package): package for package in document["packages"]}


def related(document: Mapping[str, Any], url: str, relation: str) -> set[str]:
    """Return the URLs of packages to which one has a relation."""
    urls = {package["SPDXID"]: _url(package) for package in document["packages"]}
    return {
        urls[found["relatedSpdxElement"]]
        for found in document["relationships"]
        if urls.get(found["spdxElementId"]) == url and found["relationshipType"] == relation
    }


def _url(package: Mapping[str, Any]) -> str:
    (reference,) = package["externalRefs"]
    url: str = reference["referenceLocator"]
    return url
