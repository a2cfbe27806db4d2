"""How pods of a job get at an object store: keys for the driver alone, a token of its own for each pod."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from kwitness.operator.analytics_settings import StorageSettings
from kwitness.operator.desired.kafka_client_files import SECRETS
from kwitness.operator.desired.pods import projected_token

__all__ = ["KEYS_FOLDER", "PodAccess", "keys_of_driver", "token_of_pod"]

_KEYS: Final = "storage-keys"
_TOKEN: Final = "storage-token"  # noqa: S105 - the name of a volume
KEYS_FOLDER: Final = f"{SECRETS}/{_KEYS}"
_FILES: Final = ("accessKeyId", "secretAccessKey")
_FILE_OF_SOME: Final = "sessionToken"


class PodAccess(NamedTuple):
    """What a pod is made with."""

    volumes: list[dict[str, Any]]
    mounts: list[dict[str, Any]]
    environment: list[dict[str, Any]]


def keys_of_driver(storage: StorageSettings) -> PodAccess:
    """The Secret with keys. Executors get them from the driver, over Spark's encrypted connections."""
    if storage.keys_secret is None:
        return PodAccess([], [], [])
    always = {"name": storage.keys_secret, "items": [{"key": key, "path": key} for key in _FILES]}
    sometimes = {
        "name": storage.keys_secret,
        "items": [{"key": _FILE_OF_SOME, "path": _FILE_OF_SOME}],
        "optional": True,
    }
    sources = [{"secret": always}, {"secret": sometimes}]
    volume = {"name": _KEYS, "projected": {"defaultMode": 0o440, "sources": sources}}
    return PodAccess([volume], [{"name": _KEYS, "mountPath": KEYS_FOLDER, "readOnly": True}], [])


def token_of_pod(storage: StorageSettings) -> PodAccess:
    """The token by which drivers and executors take the role, with the names that every SDK of the cloud knows."""
    role = storage.web_identity.role_arn
    if role is None:
        return PodAccess([], [], [])
    folder = f"{SECRETS}/{_TOKEN}"
    variables = {"AWS_ROLE_ARN": role, "AWS_WEB_IDENTITY_TOKEN_FILE": f"{folder}/token"}
    if storage.region is not None:
        variables["AWS_REGION"] = storage.region
    return PodAccess(
        [projected_token(_TOKEN, storage.web_identity.audience)],
        [{"name": _TOKEN, "mountPath": folder, "readOnly": True}],
        [{"name": name, "value": value} for name, value in variables.items()],
    )
