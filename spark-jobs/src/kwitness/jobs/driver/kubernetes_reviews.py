"""Reviews of the API server, created as the driver's own service account. Standard library only."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

__all__ = ["SERVICE_ACCOUNT", "KubernetesReviews", "ReviewUnavailableError"]

SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_TIMEOUT_SECONDS: Final = 5.0


class ReviewUnavailableError(RuntimeError):
    """The API server did not answer, or does not let this service account ask."""


class KubernetesReviews:
    """Creates reviews and returns what they result in.

    Parameters
    ----------
    server
        URL of the API server.
    folder
        Where the driver's own service account is mounted: `token` and `ca.crt`.
    """

    def __init__(self, server: str, folder: Path = SERVICE_ACCOUNT) -> None:
        self._server = server
        self._folder = folder

    def create(self, version: str, kind: str, spec: Mapping[str, Any]) -> dict[str, Any]:
        """Return the status of a review, such as one of the kind TokenReview and authentication.k8s.io/v1.

        Raises
        ------
        ReviewUnavailableError
            There is no answer, or none that is one.
        """
        review = {"apiVersion": version, "kind": kind, "spec": spec}
        resource = f"{kind.lower()}s"
        try:
            # Read each time: the kubelet replaces the token.
            own = (self._folder / "token").read_text().strip()
            headers = {"Authorization": f"Bearer {own}", "Content-Type": "application/json"}
            url = f"{self._server}/apis/{version}/{resource}"
            request = urllib.request.Request(url, json.dumps(review).encode(), headers)  # noqa: S310 - https
            authority = self._folder / "ca.crt"
            context = ssl.create_default_context(cafile=str(authority)) if url.startswith("https:") else None
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS, context=context) as answer:  # noqa: S310
                status: dict[str, Any] = json.load(answer).get("status", {})
        except (OSError, ValueError) as error:
            code = f" ({error.code})" if isinstance(error, urllib.error.HTTPError) else ""
            raise ReviewUnavailableError(
                f"{kind} failed{code}: let the driver's service account create {resource}"
            ) from error
        return status
