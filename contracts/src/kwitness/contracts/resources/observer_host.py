"""The observer host of an ObserverDeployment: classes that are called for requests and responses."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

from kwitness.contracts.dns_label import DNS_LABEL

from .connection import CLIENT_CONNECTION_RULES, Authentication, ClientTls
from .contract_model import Contract, list_map, rules

__all__ = ["HostedClass", "ObserverHost"]

ConfigKey = Annotated[str, Field(min_length=1, max_length=253)]
ConfigText = Annotated[str, Field(max_length=4096, description="The value, as text.")]


class HostedClass(Contract):
    """A class with the methods of kwitness.observer.Observer (KIP-388)."""

    name: str = Field(
        description="What metrics, log and readiness call it.",
        min_length=1,
        max_length=63,
        pattern=DNS_LABEL,
    )
    class_name: str = Field(
        description="Its full name in Python, such as shop.audit.Orders; it is in the image that the Helm value "
        "images.observerHost names.",
        min_length=3,
        max_length=253,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$",
    )
    config: dict[ConfigKey, ConfigText] = Field(
        default_factory=dict,
        description="What its configure method is given. It is in a ConfigMap: no place for credentials.",
        max_length=64,
    )


class ObserverHost(Contract):
    """Classes that are called for each record of the cluster's topic kwitness.requests, whoever observed it."""

    model_config = ConfigDict(json_schema_extra=rules(*CLIENT_CONNECTION_RULES))
    replicas: int = Field(
        1, description="Replicas, which share the connections: each class is called in every one of them.", ge=1, le=64
    )
    observers: tuple[HostedClass, ...] = Field(
        description="The classes.", min_length=1, max_length=16, json_schema_extra=list_map("name")
    )
    authentication: Authentication = Field(
        default_factory=Authentication,
        description="Who the host is towards Kafka. It needs Read on the topic and on groups that begin with "
        "kwitness-host-.",
    )
    tls: ClientTls = Field(default_factory=ClientTls, description="The host's certificates towards Kafka.")
