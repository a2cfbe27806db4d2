"""The part of a settings file that says what is dropped and hashed of identities, before it leaves the process."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

__all__ = ["HashingSettings"]


class HashingSettings(BaseModel):
    """Keys in `drop` do not leave the process, and of those in `hash` what `identity_hash` has; kinds say which keys.

    `key_file` has the key of hashes, and goes with `hash`. While there is no such file, or a key of fewer than
    `LEAST_KEY_BYTES` in it, what is to be hashed is dropped.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    drop: tuple[str, ...] = ()
    hash: tuple[str, ...] = ()
    key_file: str | None = Field(None, validate_default=True)

    @field_validator("hash")
    @classmethod
    def _named_once(cls, hashed: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if twice := set(hashed) & set(info.data.get("drop", ())):
            raise ValueError(f"{min(twice)} is in drop as well: name each key once")
        return hashed

    @field_validator("key_file")
    @classmethod
    def _goes_with_hash(cls, file: str | None, info: ValidationInfo) -> str | None:
        if "hash" in info.data and bool(info.data["hash"]) != (file is not None):
            raise ValueError("goes with hash, and only with it")
        return file
