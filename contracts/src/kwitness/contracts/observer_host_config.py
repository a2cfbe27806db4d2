"""The file that the operator writes for an observer host: host.json."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from .endpoints import PROBE_PORT
from .kafka_connection import KafkaConnection

__all__ = ["HostedObserver", "ObserverHostConfig"]


class _Config(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class HostedObserver(_Config):
    """A class to call, and what its `configure` is given."""

    name: Annotated[str, Field(min_length=1, max_length=63)]
    class_name: Annotated[str, Field(min_length=1, max_length=253)]
    """Its full name, such as ``shop.audit.Orders``."""
    config: dict[str, str] = Field(default_factory=dict)


class ObserverHostConfig(_Config):
    """Everything one host needs to know."""

    kafka: KafkaConnection
    topic: str = "kwitness.requests"
    group: Annotated[str, Field(min_length=1, max_length=249)]
    """The consumer group, which all replicas share."""
    observers: tuple[HostedObserver, ...] = Field(min_length=1)
    drain_seconds: float = Field(20.0, ge=0)
    """How long observers are called for what is queued when the host is to end."""
    close_seconds: float = Field(5.0, ge=0)
    """What their `close` is given as timeout after that."""
    probe_port: int = Field(PROBE_PORT, ge=0)
    log_level: str = Field("INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$")

    @model_validator(mode="after")
    def _one_name_each(self) -> ObserverHostConfig:
        names = [one.name for one in self.observers]
        if len(set(names)) != len(names):
            raise ValueError("observers: each needs a name of its own")
        return self
