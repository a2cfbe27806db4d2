"""What registers say of record headers (KIP-82), as interceptors and observers get it, and how a header is judged.

`contracts/vectors/header_rules.json` holds rules, headers and verdicts that Python, Java and Rust judge alike, those
of keys in a compact set among them;
`contracts/vectors/header_types.json` values and whether they are of a type.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

__all__ = [
    "HEADER_PROBLEMS",
    "SET_HEADER",
    "HeaderPolicy",
    "HeaderProblem",
    "HeaderRules",
    "HeaderText",
    "HeaderType",
    "RegisteredKey",
    "RegisteredPrefix",
]

HeaderType = Literal["String", "Bytes", "Int32", "Int64", "Uuid", "Timestamp", "Json"]
HeaderPolicy = Literal["Report", "Warn", "Deny"]
HeaderProblem = Literal["unregistered", "wrong_type", "too_large", "deprecated", "testing_id", "missing"]
"""What can be wrong with a header; `missing` is of a required key that a record has not."""
HEADER_PROBLEMS: tuple[HeaderProblem, ...] = (
    "unregistered",
    "wrong_type",
    "too_large",
    "deprecated",
    "testing_id",
    "missing",
)

SET_HEADER: Final = "kwitness.set"
"""The native header with KIP-82's set of keys by their numbers; of `wrong_type` where it is none."""

HeaderText = Annotated[str, Field(min_length=1, max_length=128)]
"""A header's key, or how one begins."""


class _Rules(BaseModel):
    # A misspelled field would be one without effect.
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Registered(_Rules):
    """`policy` is None where that of the register's other keys holds; `max_bytes` is the largest value in bytes.

    Written without what is as it is by default, so that thousands of keys find room in what pods are given.
    """

    type: HeaderType
    sensitivity: Literal["Public", "Internal", "Secret"] = "Internal"
    policy: HeaderPolicy = "Report"
    max_bytes: int | None = Field(None, ge=1, le=1_048_576)
    deprecated: bool = False

    @model_serializer(mode="wrap")
    def _without_defaults(self, written: SerializerFunctionWrapHandler) -> dict[str, object]:
        fields = type(self).model_fields
        return {name: value for name, value in written(self).items() if value != fields[name].default}


class RegisteredKey(_Registered):
    """One key. `testing_id` says that its id is one for tests and that the pod's namespace is not labelled for them."""

    name: HeaderText
    id: int | None = Field(None, ge=0, le=2_147_483_647)
    required: bool = False
    testing_id: bool = False


class RegisteredPrefix(_Registered):
    """Keys that begin alike; the longest of those that fit counts, and none where the key itself is registered."""

    prefix: HeaderText


class HeaderRules(_Rules):
    """The registers of a profile in one: of entries with the same name or prefix the first register's is here.

    `unregistered` is the policy for keys that no entry fits; `values_of` are keys whose values are counted.
    A header that is unregistered, of the wrong type or too large is removed by a producer's interceptors where the
    policy is Deny. Warn logs each key and problem once a minute at most, and reports as Report does.
    """

    keys: tuple[RegisteredKey, ...] = Field((), max_length=4_096)
    prefixes: tuple[RegisteredPrefix, ...] = Field((), max_length=1_024)
    unregistered: HeaderPolicy = "Report"
    values_of: tuple[HeaderText, ...] = Field((), max_length=16)
