"""Interceptors that the pod's profile asks for, whatever the application configures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .interface import ConsumerInterceptor, ProducerInterceptor

__all__ = ["PROFILE", "Profile"]


class Profile:
    """Makes interceptors for new clients; without settings there are none."""

    def producer_interceptors(self, config: Mapping[str, Any]) -> list[ProducerInterceptor]:
        """Return those of a producer with this configuration."""
        return []

    def consumer_interceptors(self, config: Mapping[str, Any]) -> list[ConsumerInterceptor]:
        """Return those of a consumer with this configuration."""
        return []


PROFILE = Profile()
