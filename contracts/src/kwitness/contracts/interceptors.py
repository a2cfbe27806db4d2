"""Words about interceptors that bodies, records and settings share."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from kwitness.contracts.dns_label import DnsLabel

__all__ = [
    "ATTRIBUTE_LABEL",
    "MAX_ATTRIBUTE_KEYS",
    "AttributeName",
    "AttributeText",
    "Hook",
    "InterceptorName",
    "InterceptorRuntime",
    "JavaVariable",
    "Reporter",
    "Side",
]

InterceptorRuntime = Literal["python", "java", "librdkafka"]
"""What an interceptor runs in."""
JavaVariable = Literal["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"]
"""Variables by which a JVM gets an agent."""
Side = Literal["producer", "consumer"]
Hook = Literal["configure", "on_send", "on_acknowledgement", "on_consume", "on_commit", "close"]
"""KIP-42's methods, as Python spells them."""
InterceptorName = DnsLabel
"""What a profile calls one of its interceptors."""
Reporter = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
"""One of the reporters that a pod has had: 64 random bits, drawn when it begins and again after a fork."""
AttributeName = Annotated[str, Field(min_length=1, max_length=63, pattern=r"^[a-z][a-z0-9_]*$")]
AttributeText = Annotated[str, Field(max_length=63)]
"""The value of a pod's label."""
ATTRIBUTE_LABEL: Final = "attribute_"
"""Begins the label that a profile's attribute becomes: no own label begins so, and none can be replaced."""
MAX_ATTRIBUTE_KEYS: Final = 4
"""Attributes that become labels of a metric, or tell rows of a table apart."""
