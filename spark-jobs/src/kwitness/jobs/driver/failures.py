"""What a failure means: a reason that scripts can rely on, and a message that says what to do."""

from __future__ import annotations

from dataclasses import dataclass

from py4j.protocol import Py4JError, Py4JJavaError
from pydantic import ValidationError
from pyspark.errors import PySparkException

from kwitness.jobs.analyses.registry import UnknownJobError
from kwitness.jobs.frame.checkpoint import CheckpointError
from kwitness.jobs.frame.delta_table import TableSchemaError
from kwitness.jobs.frame.hadoop_files import NotWritableError
from kwitness.jobs.frame.identity import IdentityError
from kwitness.jobs.frame.kafka_options import KafkaSettingsError

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


#: Words in the text of a Java exception, with what they mean. The first that is found counts.
_SIGNS = (
    ("TopicAuthorizationException", "Forbidden", "Kafka refuses to let this job read the topics: grant READ on them"),
    ("GroupAuthorizationException", "Forbidden", "Kafka refuses the job's consumer group: grant READ on it"),
    ("ClusterAuthorizationException", "Forbidden", "Kafka refuses this job a right on the cluster: grant it"),
    ("SaslAuthenticationException", "Failed", "Kafka refused the user name or password: check the job's Secret"),
    ("SslAuthenticationException", "Failed", "TLS with Kafka failed: check the CA and the certificate"),
    ("AccessControlException", "TableNotWritable", "the storage refuses access"),
    ("AccessDenied", "TableNotWritable", "the storage refuses access"),
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
        case NotWritableError():
            remedy = "give the job's pods the right to write there, or choose another root"
            return Failure("TableNotWritable", f"{error}: {remedy}")
        case TableSchemaError() | UnknownJobError():
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
