"""Asks the API server for the creation of a resource."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.resources import KINDS
from kwitness.e2e.api_server import ApiServer

__all__ = ["create"]

PLURAL = {info.kind: info.plural for info in KINDS}


def create(server: ApiServer, body: dict[str, Any]) -> Any:
    """Ask for creation without effect, with kubectl's default validation."""
    path = f"/apis/kwitness.dev/v1beta1/namespaces/default/{PLURAL[body['kind']]}"
    return server.request("POST", path, params={"dryRun": "All", "fieldValidation": "Strict"}, json=body)
