"""Tokens of the operator's own service account, one for each target."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from kwitness.operator.adapters.kubernetes import Kubernetes

__all__ = ["OwnTokens"]

_LIFE_SECONDS: Final = 600
"""The shortest life that the API server gives a token."""


class OwnTokens:
    """Asks for tokens by TokenRequest and uses each for half its life; ``now`` is in seconds from any beginning."""

    def __init__(
        self, kubernetes: Kubernetes, namespace: str, service_account: str, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._kubernetes = kubernetes
        self._namespace = namespace
        self._service_account = service_account
        self._now = now
        self._tokens: dict[str, tuple[float, str]] = {}

    async def token_for(self, audience: str) -> str:
        """A token that is good for this audience and no other.

        Raises
        ------
        KubernetesUnavailableError, TransientError
            When the API server gives none.
        """
        now = self._now()
        # Targets come and go; those that nobody asks for any more are forgotten.
        self._tokens = {key: known for key, known in self._tokens.items() if known[0] > now}
        known = self._tokens.get(audience)
        if known is None:
            token = await self._kubernetes.request_token(
                self._namespace, self._service_account, audience, _LIFE_SECONDS
            )
            known = self._tokens[audience] = (now + _LIFE_SECONDS / 2, token)
        return known[1]
