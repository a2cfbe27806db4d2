"""Object stores that speak S3: what Spark is told of them, and how keys get to Hadoop and nowhere else.

Settings of a session are on the command line of its Java process, in listings and in event logs. So keys are none: they
are put into Hadoop's configuration when the session is there, and executors get that with their tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from typing_extensions import override

from kwitness.contracts.job_config import JobConfig, StorageConfig

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEME = "s3a"
"""The one that Hadoop has for such stores."""

_CHECKPOINTS = "org.apache.spark.internal.io.cloud.AbortableStreamBasedCheckpointFileManager"
_FROM_CONFIGURATION = "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider"
_SHORT_LIVED = "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider"
#: A web identity token, what a pod's node or agent hands out, variables of the environment, a profile.
_OF_THE_CLOUD = "software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider"
_OWN_REGION = "us-east-1"
#: A batch is done again anyhow, and a pod started again: who waits for minutes says nothing meanwhile.
_PATIENCE = {
    "fs.s3a.attempts.maximum": "3",
    "fs.s3a.retry.limit": "4",
    "fs.s3a.connection.establish.timeout": "15s",
}


class StorageKeysError(ValueError):
    """The keys of the object store cannot be read."""


class StorageKeys(NamedTuple):
    """The credential of an object store."""

    access: str
    secret: str
    token: str = ""

    @override
    def __repr__(self) -> str:
        return "StorageKeys(...)"


def is_object_store(config: JobConfig) -> bool:
    """Whether the job's files are in a store that speaks S3."""
    return config.table_path.startswith(f"{SCHEME}://")


def storage_settings(config: JobConfig) -> dict[str, str]:
    """Settings of a session, without any secret; empty where files are in none and nothing else is said."""
    storage = config.storage
    given = _hadoop(storage.settings)
    if not is_object_store(config):
        return given
    settings = dict(_PATIENCE)
    if storage.endpoint:
        settings["fs.s3a.endpoint"] = storage.endpoint
        settings["fs.s3a.path.style.access"] = str(storage.path_style).lower()
    if region := _region(storage):
        settings["fs.s3a.endpoint.region"] = region
    if not storage.keys_folder:
        settings["fs.s3a.aws.credentials.provider"] = _OF_THE_CLOUD
    # Spark's own writes a file under another name and renames it, which copies it here.
    return {"spark.sql.streaming.checkpointFileManagerClass": _CHECKPOINTS} | _hadoop(settings) | given


def read_keys(storage: StorageConfig) -> StorageKeys | None:
    """The keys that are there now; None where the store is asked as whom the cloud takes the pod for.

    Raises
    ------
    StorageKeysError
        Names the file that is not there or empty.
    """
    if not storage.keys_folder:
        return None
    folder = Path(storage.keys_folder)
    token = folder / "sessionToken"
    return StorageKeys(
        _read(folder / "accessKeyId"), _read(folder / "secretAccessKey"), _read(token) if token.exists() else ""
    )


def give_keys(session: SparkSession, keys: StorageKeys | None) -> None:
    """Hand keys to Hadoop's file systems, which keep those that they were opened with."""
    if keys is None:
        return
    context = session.sparkContext
    configuration: Any = context._jsc.hadoopConfiguration()  # noqa: SLF001 - PySpark has no public way to it
    configuration.set("fs.s3a.access.key", keys.access)
    configuration.set("fs.s3a.secret.key", keys.secret)
    if keys.token:
        configuration.set("fs.s3a.session.token", keys.token)
    configuration.set("fs.s3a.aws.credentials.provider", _SHORT_LIVED if keys.token else _FROM_CONFIGURATION)


def reader_variables(config: JobConfig) -> dict[str, str]:
    """Variables of the environment by which readers without a JVM find the same store, keys among them.

    Raises
    ------
    StorageKeysError
        Names the file that is not there or empty.
    """
    if not is_object_store(config):
        return {}
    storage, keys = config.storage, read_keys(config.storage)
    variables = {"AWS_REGION": _region(storage), "AWS_ENDPOINT_URL": storage.endpoint}
    if storage.endpoint:
        variables["AWS_ALLOW_HTTP"] = str(storage.endpoint.startswith("http:")).lower()
        variables["AWS_VIRTUAL_HOSTED_STYLE_REQUEST"] = str(not storage.path_style).lower()
    if keys is not None:
        variables |= {"AWS_ACCESS_KEY_ID": keys.access, "AWS_SECRET_ACCESS_KEY": keys.secret}
        variables["AWS_SESSION_TOKEN"] = keys.token
    return {name: value for name, value in variables.items() if value}


def _region(storage: StorageConfig) -> str | None:
    """The region that requests are signed for: stores of one's own are in this one unless they say another."""
    return storage.region or (_OWN_REGION if storage.endpoint else None)


def _hadoop(settings: Mapping[str, str]) -> dict[str, str]:
    return {f"spark.hadoop.{name}": value for name, value in settings.items()}


def _read(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise StorageKeysError(f"{file.name} of the object store cannot be read ({error.strerror})") from None
    if not text:
        raise StorageKeysError(f"{file.name} of the object store is empty")
    return text
