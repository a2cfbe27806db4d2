"""Asks Kubernetes whether a bearer token may read the status. Standard library only: it runs in the driver."""

from __future__ import annotations

import hashlib
import json
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kwitness.contracts.audiences import says_audience

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_BELIEVED_SECONDS = 60.0
_TIMEOUT_SECONDS = 5.0
_REMEMBERED = 1024
"""Good answers, and as many bad ones beside them: who invents tokens pushes out nobody's."""
_ASKING = 4
"""Questions to the API server at once."""


class ReviewUnavailableError(RuntimeError):
    """The API server did not answer, or does not let this service account ask."""


class TokenReviewer:
    """Verifies tokens of one audience; an answer is believed for a minute.

    Parameters
    ----------
    server
        URL of the API server.
    audience
        Of this driver, and no other.
    folder
        Where the driver's own service account is mounted: `token` and `ca.crt`.
    clock
        Seconds; only differences count.
    """

    def __init__(
        self,
        server: str,
        audience: str,
        folder: Path = SERVICE_ACCOUNT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.audience = audience
        self._url = f"{server}/apis/authentication.k8s.io/v1/tokenreviews"
        self._folder = folder
        self._clock = clock
        # When they were asked about, by whether they are good.
        self._answers: dict[bool, dict[bytes, float]] = {True: {}, False: {}}
        self._lock = threading.Lock()
        self._turn = threading.BoundedSemaphore(_ASKING)

    def allows(self, token: str) -> bool:
        """Whether the token is valid and meant for this audience; one that says otherwise itself is not asked about.

        Raises
        ------
        ReviewUnavailableError
            Nobody could be asked; nothing is believed then.
        """
        if not says_audience(token, self.audience):
            return False
        key = hashlib.sha256(token.encode()).digest()
        with self._lock:
            for known, answers in self._answers.items():
                if self._clock() - answers.get(key, float("-inf")) < _BELIEVED_SECONDS:
                    return known
        if not self._turn.acquire(timeout=_TIMEOUT_SECONDS):
            raise ReviewUnavailableError("too many tokens are being asked about; try again")
        try:
            answer = self._ask(token)
        finally:
            self._turn.release()
        self._remember(key, answer)
        return answer

    def _remember(self, key: bytes, answer: bool) -> None:  # noqa: FBT001 - the answer is what is remembered
        with self._lock:
            self._answers[not answer].pop(key, None)
            answers = self._answers[answer]
            answers.pop(key, None)
            while len(answers) >= _REMEMBERED:
                del answers[next(iter(answers))]
            answers[key] = self._clock()

    def _ask(self, token: str) -> bool:
        review = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenReview",
            "spec": {"token": token, "audiences": [self.audience]},
        }
        try:
            # Read each time: the kubelet replaces the token.
            own = (self._folder / "token").read_text().strip()
            headers = {"Authorization": f"Bearer {own}", "Content-Type": "application/json"}
            request = urllib.request.Request(self._url, json.dumps(review).encode(), headers)  # noqa: S310 - https
            authority = self._folder / "ca.crt"
            context = ssl.create_default_context(cafile=str(authority)) if self._url.startswith("https:") else None
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS, context=context) as answer:  # noqa: S310
                status: dict[str, Any] = json.load(answer).get("status", {})
        except (OSError, ValueError) as error:
            code = f" ({error.code})" if isinstance(error, urllib.error.HTTPError) else ""
            raise ReviewUnavailableError(
                f"TokenReview failed{code}: let the driver's service account create tokenreviews"
            ) from error
        return bool(status.get("authenticated")) and self.audience in status.get("audiences", [])
