"""HeaderRegistry: the register of record header keys that KIP-82 asked for.

KIP-82's integer keys on the wire were never adopted; the integers are used here on purpose, as names in a register.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from .contract_model import Contract, Rule, list_map, rules
from .meta import API_VERSION, ObjectMeta, Status
from .precedence import priority_field
from .standstill import suspend_field

__all__ = [
    "ID_RANGES",
    "HeaderKey",
    "HeaderPrefix",
    "HeaderRegistry",
    "HeaderRegistrySpec",
    "HeaderRegistryStatus",
    "HeaderText",
]

ID_RANGES: tuple[tuple[int, int, str], ...] = (
    (0x00000000, 0x0000FFFF, "Kafka open source"),
    *(
        (base + part, base + part + 0xFFFF, f"{use}: {who}")
        for base, use in ((0x00100000, "local use"), (0x00200000, "open use"), (0x00300000, "testing"))
        for part, who in (
            (0x00000, "infrastructure"),
            (0x10000, "client"),
            (0x20000, "stack and middleware"),
            (0x30000, "application"),
            (0x40000, "user"),
        )
    ),
)
"""First and last id of each range of KIP-82 and what it is for; everything else is reserved."""

_IN_A_RANGE = " || ".join(
    f"(self >= {base} && self <= {base + last})"
    for base, last in ((0, 0xFFFF), (0x100000, 0x4FFFF), (0x200000, 0x4FFFF), (0x300000, 0x4FFFF))
)
_WELL_KNOWN = ((1, "client.id"), (2, "cluster.id"), (3, "correlation.id"))


HeaderText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=128,
        pattern=r"^[!-~]+$",
        json_schema_extra=rules(
            Rule(
                "!self.endsWith('*')",
                "is compared literally: leave out the '*' (keys that begin alike go into a HeaderRegistry's "
                "spec.prefixes)",
            )
        ),
    ),
]
"""A header's key or the beginning of one: printable ASCII without blanks, as in `__TypeId__`, `_schema`, `ce:id`."""


class HeaderMeaning(Contract):
    """What is known of a header, whether it is registered by its key or by how its key begins."""

    description: str = Field(description="What it means.", min_length=1, max_length=1024)
    used_by: str | None = Field(None, description="Who writes or reads it.", max_length=256)
    url: str | None = Field(None, description="Where it is documented.", max_length=1024, pattern=r"^https?://[^\s]+$")
    type: Literal["String", "Bytes", "Int32", "Int64", "Uuid", "Timestamp", "Json"] = Field(
        description="How the value is encoded."
    )
    sensitivity: Literal["Public", "Internal", "Secret"] = Field(
        "Internal", description="Who may see the value; the value of a Secret one is never reported."
    )
    owner: str | None = Field(None, description="Who answers for it.", max_length=256)


class HeaderKey(HeaderMeaning):
    """One header key."""

    model_config = ConfigDict(
        json_schema_extra=rules(
            *(
                Rule(
                    f"!has(self.id) || (self.id == {number}) == (self.name == '{name}')",
                    f"id {number} and name {name} belong together (KIP-82)",
                    field_path=".name",
                )
                for number, name in _WELL_KNOWN
            )
        )
    )
    name: HeaderText = Field(description="The header's key, as it stands in records.")
    id: int | None = Field(
        None,
        description="Number of the key, where it has one: 0 to 0xFFFF Kafka open source, 0x100000 to 0x14FFFF local, "
        "0x200000 to 0x24FFFF open, 0x300000 to 0x34FFFF testing; the rest is reserved.",
        ge=0,
        le=2_147_483_647,
        json_schema_extra={
            "format": "int32",
            **rules(
                Rule(
                    _IN_A_RANGE,
                    "is in a reserved range: use 1048576 to 1376255 (local), 2097152 to 2424831 (open) or "
                    "3145728 to 3473407 (testing); 0 to 65535 belongs to Apache Kafka",
                )
            ),
        },
    )


class HeaderPrefix(HeaderMeaning):
    """Header keys that begin alike, as those that a framework writes."""

    prefix: HeaderText = Field(description="What the keys begin with, such as `__connect.errors.`.")


class HeaderRegistrySpec(Contract):
    """The keys and what to do about others."""

    keys: tuple[HeaderKey, ...] = Field(
        (),
        description="The keys; names are unique, and so are ids.",
        max_length=256,
        json_schema_extra={
            **list_map("name"),
            **rules(
                Rule(
                    "self.all(one, !has(one.id) || self.exists_one(other, has(other.id) && other.id == one.id))",
                    "ids must be unique: two keys have the same id",
                )
            ),
        },
    )
    prefixes: tuple[HeaderPrefix, ...] = Field(
        (),
        description="Keys by how they begin, for what has no fixed names. A key in `keys` comes before a prefix, and a "
        "longer prefix before a shorter one.",
        max_length=64,
        json_schema_extra=list_map("prefix"),
    )
    policy: Literal["Report", "Warn", "Deny"] = Field(
        "Report",
        description="What to do about unregistered or wrongly typed keys; Deny acts in interceptors.",
    )
    suspend: bool = suspend_field("its keys count as not registered")
    priority: int = priority_field("HeaderRegistries that register the same key or id")


class HeaderRegistryStatus(Status):
    """What was seen of the keys."""

    registered: int | None = Field(None, description="Keys registered.", ge=0)
    unregistered_seen: int | None = Field(None, description="Keys seen in records that are not registered.", ge=0)


class HeaderRegistry(Contract):
    """A register of record header keys."""

    api_version: Literal["kwitness.dev/v1alpha1"] = API_VERSION
    kind: Literal["HeaderRegistry"] = "HeaderRegistry"
    metadata: ObjectMeta
    spec: HeaderRegistrySpec = Field(description="The keys and what to do about others.")
    status: HeaderRegistryStatus | None = Field(None, description="What was seen of the keys.")
