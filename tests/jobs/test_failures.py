from __future__ import annotations

import pytest
from pydantic import ValidationError

from kwitness.contracts.job_config import JobConfig
from kwitness.contracts.reasons import reasons_of
from kwitness.jobs.analyses.registry import UnknownJobError
from kwitness.jobs.driver.failures import explain
from kwitness.jobs.frame.delta_table import TableSchemaError
from kwitness.jobs.frame.hadoop_files import NotWritableError
from kwitness.jobs.frame.kafka_options import KafkaSettingsError
from kwitness.jobs.frame.object_store import StorageKeysError

KNOWN = {entry.reason for entry in reasons_of("AnalyticsJob")}
KAFKA = "org.apache.kafka.common.errors."


@pytest.mark.parametrize(
    ("error", "reason", "said"),
    [
        (NotWritableError("/t", "x"), "TableNotWritable", "the right to write there"),
        (StorageKeysError("accessKeyId of the object store is empty"), "TableNotWritable", "correct the Secret"),
        (
            RuntimeError("java.nio.file.AccessDeniedException: s3a://b/t: SignatureDoesNotMatch"),
            "TableNotWritable",
            "key",
        ),
        (
            RuntimeError("S3Exception: Access Denied (Status Code: 403): AccessDenied"),
            "TableNotWritable",
            "list and delete",
        ),
        (RuntimeError("SdkClientException: Unable to execute HTTP request"), "TableNotWritable", "its endpoint"),
        (RuntimeError("Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"), "TableNotWritable", "spark-s3a"),
        (TableSchemaError("/t holds a table with other columns"), "Failed", "other columns"),
        (KafkaSettingsError("HostNotAllowed", "not listed"), "HostNotAllowed", "not listed"),
        (UnknownJobError("job type 'x'"), "Failed", "job type 'x'"),
        (RuntimeError(f"{KAFKA}TopicAuthorizationException: Not authorized"), "Forbidden", "grant READ"),
        (RuntimeError(f"{KAFKA}SaslAuthenticationException: secret text"), "Failed", "user name or password"),
        (RuntimeError(f"{KAFKA}TimeoutException: Timeout"), "Failed", "does not answer"),
        (RuntimeError("java.io.IOException: No space left on device"), "TableNotWritable", "full"),
        (RuntimeError("java.io.IOException: Read-only file system"), "TableNotWritable", "/the/table"),
        (KeyError("anything"), "Failed", "driver's log"),
    ],
)
def test_a_failure_has_a_known_reason_and_says_what_to_do(error: Exception, reason: str, said: str) -> None:
    failure = explain(error, "/the/table")

    assert failure.reason == reason
    assert failure.reason in KNOWN
    assert said in failure.message
    assert "secret text" not in failure.message


def test_a_bad_configuration_names_its_fields() -> None:
    with pytest.raises(ValidationError) as caught:
        JobConfig.model_validate({"type": "ClientInventory"})

    failure = explain(caught.value, "/t")

    assert "table_path" in failure.message
