"""What a failure means: a reason that scripts can rely on, and a message that says what to do."""

from __future__ import annotations

from dataclasses import dataclass

from py4j.protocol import Py4JError, Py4JJavaError
from pydantic import ValidationError
from pyspark.errors import PySparkException

from kwitness.jobs.analyses.registry import UnknownJobError
from kwitness.jobs.driver.waiting import MissingInputError
from kwitness.jobs.frame.checkpoint import CheckpointError
from kwitness.jobs.frame.delta_table import TableHistoryError, TableSchemaError
from kwitness.jobs.frame.hadoop_files import NotWritableError
from kwitness.jobs.frame.identity import IdentityError
from kwitness.jobs.frame.kafka_options import KafkaSettingsError
from kwitness.jobs.frame.object_store import StorageKeysError

_MAX_TEXT = 600
_CHECKPOINT = (
    "the checkpoint cannot be read: remove its folder; nothing is lost or counted twice by that, since the table knows "
    "to where it was read, as long as Kafka still has the records after that"
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a driver ends.

    Attributes
    ----------
    reason
        One of the reasons of AnalyticsJob in `kwitness.contracts.reasons`.
    message
        What failed, with which input, and what to do.
    """

    reason: str
    message: str


#: Words in what an object store's client says: what the store answered before that a request failed.
_OF_STORES = (
    ("NoSuchBucket", "there is no such bucket: make it, or correct the root of tables"),
    ("InvalidAccessKeyId", "the object store does not know the access key: correct the Secret with its keys"),
    ("SignatureDoesNotMatch", "the secret key is not that of the access key: correct the Secret with its keys"),
    ("ExpiredToken", "the session token for the object store has expired: renew it"),
    ("NoAuthWithAWSException", "nothing says as whom to ask the object store: name keys or a web identity"),
    ("Unable to load credentials", "nothing says as whom to ask the object store: name keys or a web identity"),
    ("AWSRedirectException", "the bucket is in another region: correct the region"),
    ("AWSBadRequestException", "the object store does not take the request: correct the region"),
    ("unable to find valid certification path", "the image does not trust the object store's certificate"),
    ("S3AFileSystem not found", "the image cannot read object stores: use its variant spark-s3a"),
    ("UnsupportedFileSystemException", "nothing in the image reads a root of tables like this one"),
    ("AccessDenied", "the storage refuses access: allow to read, write, list and delete there"),
    ("SdkClientException", "the object store does not answer: check its endpoint and network policies"),
)
#: Words in the text of a Java exception, with what they mean. The first that is found counts.
_SIGNS = (
    ("TopicAuthorizationException", "Forbidden", "Kafka refuses to let this job read the topics: grant READ on them"),
    ("GroupAuthorizationException", "Forbidden", "Kafka refuses the job's consumer group: grant READ on it"),
    ("ClusterAuthorizationException", "Forbidden", "Kafka refuses this job a right on the cluster: grant it"),
    ("SaslAuthenticationException", "Failed", "Kafka refused the user name or password: check the job's Secret"),
    ("SslAuthenticationException", "Failed", "TLS with Kafka failed: check the CA and the certificate"),
    *((sign, "TableNotWritable", meaning) for sign, meaning in _OF_STORES),
    ("AccessControlException", "TableNotWritable", "the storage refuses access"),
    ("Permission denied", "TableNotWritable", "the storage refuses access"),
    ("Read-only file system", "TableNotWritable", "the storage is read-only"),
    ("No space left on device", "TableNotWritable", "the storage is full"),
    ("Mkdirs failed", "TableNotWritable", "a folder cannot be made"),
    ("CheckpointError", "Failed", _CHECKPOINT),
    ("Incomplete log file", "Failed", _CHECKPOINT),
    ("Log file was malformed", "Failed", _CHECKPOINT),
    ("MALFORMED_LOG_FILE", "Failed", _CHECKPOINT),
    ("StreamMetadata", "Failed", _CHECKPOINT),
    ("java.lang.OutOfMemoryError", "Failed", "an executor or the driver has too little memory: raise executors.memory"),
    ("errors.TimeoutException", "Failed", "Kafka does not answer in time: check the brokers and network policies"),
    ("No resolvable bootstrap urls", "Failed", "no name in bootstrapServers can be resolved"),
)


def explain(error: BaseException, table_path: str) -> Failure:
    """The failure behind an exception.

    What Kafka or a store said is named by the class of its exception; its text stays in the log, because it may hold
    what a client sent.
    """
    match error:
        case NotWritableError() | StorageKeysError():
            return Failure("TableNotWritable", _of_storage(error))
        case TableSchemaError() | TableHistoryError() | UnknownJobError() | MissingInputError():
            return Failure("Failed", str(error))
        case KafkaSettingsError() | IdentityError():
            return Failure(error.reason, str(error))
        case CheckpointError():
            return Failure("Failed", f"{error}; {_CHECKPOINT}"[:_MAX_TEXT])
        case ValidationError():
            where = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5])
            return Failure("Failed", f"the job's configuration is not valid: {where}"[:_MAX_TEXT])
        case _:
            return _by_signs(error, table_path)


def _of_storage(error: NotWritableError | StorageKeysError) -> str:
    if isinstance(error, StorageKeysError):
        return f"{error}: correct the Secret with its keys"
    for sign, meaning in _OF_STORES:
        if sign in error.said:
            # What a store's client says has numbers of requests: another text each time.
            return f"cannot write under {error.folder}: {meaning} [{sign}]"
    return f"{error}: give the job's pods the right to write there, or choose another root"


def _by_signs(error: BaseException, table_path: str) -> Failure:
    text = _java_text(error)
    for sign, reason, meaning in _SIGNS:
        if sign in text:
            table = f" ({table_path})" if reason == "TableNotWritable" else ""
            return Failure(reason, f"{meaning}{table} [{sign}]")
    return Failure("Failed", f"{_class_of(error)}: look at the driver's log".strip()[:_MAX_TEXT])


def _java_text(error: BaseException) -> str:
    if isinstance(error, Py4JJavaError):
        return str(error)
    return f"{error!r} {error}"


def _class_of(error: BaseException) -> str:
    if isinstance(error, Py4JJavaError):
        return str(error.java_exception.getClass().getSimpleName())
    if isinstance(error, PySparkException):
        return f"{type(error).__name__} {error.getCondition() or ''}".strip()
    if isinstance(error, Py4JError):
        return "the Java process ended"
    return f"{type(error).__name__}: {error}"
