"""HeaderRegistry: the register of record header keys that KIP-82 asked for.

KIP-82's integer keys on the wire were never adopted; the integers are used here on purpose, as names in a register.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from kwitness.contracts.header_rules import HeaderPolicy, HeaderType

from .contract_model import Contract, Rule, list_map, rules
from .meta import API_VERSION, ObjectMeta, Status
from .precedence import priority_field
from .references import ClusterRef
from .standstill import suspend_field

__all__ = [
    "ID_RANGES",
    "NUMBERED_RANGES",
    "TESTING_IDS",
    "WELL_KNOWN_IDS",
    "HeaderFinding",
    "HeaderId",
    "HeaderKey",
    "HeaderPrefix",
    "HeaderRegistry",
    "HeaderRegistrySpec",
    "HeaderRegistryStatus",
    "HeaderText",
    "IdRange",
    "TakenKey",
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

IdRange = Literal[
    "LocalInfrastructure",
    "LocalClient",
    "LocalStack",
    "LocalApplication",
    "LocalUser",
    "OpenInfrastructure",
    "OpenClient",
    "OpenStack",
    "OpenApplication",
    "OpenUser",
    "TestingInfrastructure",
    "TestingClient",
    "TestingStack",
    "TestingApplication",
    "TestingUser",
]
"""A range of ID_RANGES that ids can be given from; Apache Kafka's is not ours to give from."""

NUMBERED_RANGES: Final[Mapping[IdRange, tuple[int, int]]] = {
    "LocalInfrastructure": (0x100000, 0x10FFFF),
    "LocalClient": (0x110000, 0x11FFFF),
    "LocalStack": (0x120000, 0x12FFFF),
    "LocalApplication": (0x130000, 0x13FFFF),
    "LocalUser": (0x140000, 0x14FFFF),
    "OpenInfrastructure": (0x200000, 0x20FFFF),
    "OpenClient": (0x210000, 0x21FFFF),
    "OpenStack": (0x220000, 0x22FFFF),
    "OpenApplication": (0x230000, 0x23FFFF),
    "OpenUser": (0x240000, 0x24FFFF),
    "TestingInfrastructure": (0x300000, 0x30FFFF),
    "TestingClient": (0x310000, 0x31FFFF),
    "TestingStack": (0x320000, 0x32FFFF),
    "TestingApplication": (0x330000, 0x33FFFF),
    "TestingUser": (0x340000, 0x34FFFF),
}
"""First and last id of each."""

TESTING_IDS: Final = range(0x300000, 0x350000)
"""Nothing outside of tests should depend on keys with these."""

_IN_A_RANGE = " || ".join(
    f"(self >= {base} && self <= {base + last})"
    for base, last in ((0, 0xFFFF), (0x100000, 0x4FFFF), (0x200000, 0x4FFFF), (0x300000, 0x4FFFF))
)
WELL_KNOWN_IDS: Final[Mapping[str, int]] = {"client.id": 1, "cluster.id": 2, "correlation.id": 3}
"""Ids that KIP-82 itself gives."""


HeaderText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=128,
        pattern=r"^[!-~]+$",
        description="A header's key, or the beginning of keys, compared literally: it must not end with a star.",
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
    type: HeaderType = Field(description="How the value is encoded.")
    sensitivity: Literal["Public", "Internal", "Secret"] = Field(
        "Internal", description="Who may see the value; the value of a Secret one is never reported."
    )
    owner: str | None = Field(None, description="Who answers for it.", max_length=256)
    policy: HeaderPolicy | None = Field(
        None, description="What to do where a value is wrong. Absent: as spec.policy says."
    )
    max_bytes: int | None = Field(
        None,
        description="The largest value, in bytes. Absent: any.",
        ge=1,
        le=1_048_576,
        json_schema_extra={"format": "int32"},
    )
    deprecated: str | None = Field(
        None,
        description="What to use instead; present where the header should be used no more.",
        min_length=1,
        max_length=1024,
    )


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
                for name, number in WELL_KNOWN_IDS.items()
            ),
            Rule(
                "!self.required || !has(self.deprecated)",
                "a key that is deprecated cannot be required: remove required, or deprecated",
                field_path=".required",
            ),
            Rule(
                "!self.released || !has(self.id)",
                "an id that stands here is given back by taking it out: remove id, or released",
                field_path=".released",
            ),
        )
    )
    name: HeaderText = Field(
        description="The header's key, as it stands in records, compared literally: it must not end with a star."
    )
    id: int | None = Field(
        None,
        description="Number of the key: 0 to 0xFFFF Kafka open source, 0x100000 to 0x14FFFF local, 0x200000 to "
        "0x24FFFF open, 0x300000 to 0x34FFFF testing; the rest is reserved. Absent: one of spec.idRange, where that is "
        "given, else none. As in KIP-82, client.id has 1, cluster.id 2 and correlation.id 3, and no other key has "
        "these.",
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
    required: bool = Field(
        False, description="Whether every record should have it; those without are counted. Not for a deprecated key."
    )
    released: bool = Field(
        False,
        description="Gives the id back that the key got from spec.idRange; not for a key with id. The key has it "
        "while it stands here; once it is taken out, nothing remembers which key had the id, which is handed out to no "
        "other and can be written for another. Take it out when no record with it is left.",
    )


class HeaderPrefix(HeaderMeaning):
    """Header keys that begin alike, as those that a framework writes."""

    prefix: HeaderText = Field(
        description="What the keys begin with, such as `__connect.errors.`, compared literally: it must not end with "
        "a star."
    )


class HeaderRegistrySpec(Contract):
    """The keys and what to do about others."""

    cluster_ref: ClusterRef | None = Field(
        None,
        description="The KafkaCluster for which the keys are claimed; its spec.headerRegistries must list this "
        "register. Absent: those of this namespace, one of which must list it.",
    )
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
    policy: HeaderPolicy = Field(
        "Report",
        description="What to do about unregistered keys, and about those of keys and prefixes that say nothing else; "
        "Deny acts in interceptors.",
    )
    id_range: IdRange | None = Field(
        None,
        description="Where keys without id get theirs from: the lowest that no key has or had. A key keeps the one it "
        "got, whatever becomes of this resource. Absent: they get none.",
    )
    suspend: bool = suspend_field("its keys count as not registered")
    priority: int = priority_field("HeaderRegistries of one namespace that claim the same key or id")


_KeyName = Annotated[str, Field(max_length=128, description="The key.")]


class HeaderId(Contract):
    """A key's number."""

    name: _KeyName = Field(description="The key.")
    id: int = Field(description="Its number.", ge=0, json_schema_extra={"format": "int32"})


class TakenKey(Contract):
    """A key that somebody else has."""

    key: str = Field(description="The key, as spec.keys has it.", max_length=128)
    by: str | None = Field(
        None,
        description="The HeaderRegistry that has it, <namespace>/<name>. Absent: its id was given to a key that is "
        "gone.",
        max_length=317,
    )
    id: int | None = Field(
        None,
        description="The id that another key has. Absent: it is the key itself that is registered there.",
        ge=0,
        json_schema_extra={"format": "int32"},
    )


class HeaderFinding(Contract):
    """Something that is wrong with a key in records."""

    key: str = Field(description="The key, as it stands in records.", max_length=128)
    problem: str = Field(
        description="What is wrong: Unregistered, WrongType, TooLarge, Deprecated, TestingId or Missing.",
        max_length=64,
        pattern=r"^[A-Z][A-Za-z0-9]*$",
    )
    clients_total: int = Field(
        description="Pods of all namespaces, and clients whose pods are not known, that send or get it.", ge=1
    )
    example: str | None = Field(
        None,
        description="The first by name of this namespace's pods, as <namespace>/<pod>, else of the client ids whose "
        "pods are not known. Absent: all are pods of other namespaces.",
        max_length=317,
    )
    topic: str | None = Field(None, description="A topic of the example, else of one of them.", max_length=249)


class HeaderRegistryStatus(Status):
    """What became of the keys, and what was seen of them."""

    registered: int | None = Field(None, description="Keys registered.", ge=0)
    ids: tuple[HeaderId, ...] = Field(
        (), description="Their numbers.", max_length=256, json_schema_extra=list_map("name")
    )
    taken: tuple[TakenKey, ...] = Field(
        (),
        description="Keys of spec.keys that are not registered as they stand, since somebody else has them.",
        max_length=256,
        json_schema_extra=list_map("key"),
    )
    refused: tuple[_KeyName, ...] = Field(
        (),
        description="Keys of spec.keys that are not registered, since the KafkaCluster allows this namespace others.",
        max_length=256,
    )
    released: tuple[_KeyName, ...] = Field(
        (), description="Keys whose ids were given back and are theirs only while they stand here.", max_length=256
    )
    unregistered_seen: int | None = Field(
        None, description="Keys seen in records within the last hour that no register has.", ge=0
    )
    findings: tuple[HeaderFinding, ...] = Field(
        (),
        description="What was wrong within the last hour with keys of this register, and which keys no register has, "
        "up to 50: in the clusters of the InterceptorProfiles that name this register.",
        max_length=50,
    )
    findings_left_out: int | None = Field(None, description="Further ones.", ge=0)


class HeaderRegistry(Contract):
    """A register of record header keys."""

    api_version: Literal["kwitness.dev/v1beta1"] = API_VERSION
    kind: Literal["HeaderRegistry"] = "HeaderRegistry"
    metadata: ObjectMeta
    spec: HeaderRegistrySpec = Field(description="The keys and what to do about others.")
    status: HeaderRegistryStatus | None = Field(None, description="What became of the keys.")
