"""Which environment variables of an application lead it to the observer beside it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .contract_model import Contract, list_set

__all__ = ["RewrittenEnvironment"]

VariableName = Annotated[
    str,
    Field(min_length=1, max_length=253, pattern=r"^[-_a-zA-Z][-._a-zA-Z0-9]*$", description="The name of a variable."),
]


class RewrittenEnvironment(Contract):
    """Environment variables that are rewritten, so that an application connects to the observer beside it.

    Of each list those that a container has are rewritten; all of them, where it shows none.
    """

    bootstrap_servers: tuple[VariableName, ...] = Field(
        description="Variables with the addresses of brokers. One that names another cluster is left alone.",
        min_length=1,
        max_length=16,
        json_schema_extra=list_set(),
    )
    security_protocol: tuple[VariableName, ...] = Field(
        (),
        description="Variables with security.protocol: PLAINTEXT or SASL_PLAINTEXT afterwards, since the observer "
        "speaks TLS to the brokers itself. Required where the listener has TLS.",
        max_length=16,
        json_schema_extra=list_set(),
    )
    ca_file: tuple[VariableName, ...] = Field(
        (),
        description="Variables with the path of CA certificates: empty afterwards.",
        max_length=16,
        json_schema_extra=list_set(),
    )
