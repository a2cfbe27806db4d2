"""What Spark and other readers are told of an object store, and what they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.driver.spark_settings import spark_settings
from kwitness.jobs.frame.object_store import StorageKeysError, read_keys, reader_variables, storage_settings

from tests.jobs.conftest import job_config

SECRET = "canary-of-the-secret-key"
PROVIDER = "spark.hadoop.fs.s3a.aws.credentials.provider"


def in_a_bucket(**storage: object) -> JobConfig:
    return job_config(Path("/t"), table_path="s3a://tables/inventory/table", storage=storage)


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    (tmp_path / "accessKeyId").write_text("AKIA\n")
    (tmp_path / "secretAccessKey").write_text(f"{SECRET}\n")
    return tmp_path


def test_files_on_a_volume_need_no_settings_of_a_store() -> None:
    config = job_config(Path("/t"))

    assert storage_settings(config) == {}
    assert reader_variables(config) == {}


def test_checkpoints_in_a_store_are_written_without_renaming() -> None:
    settings = spark_settings(in_a_bucket(), {})

    assert settings["spark.sql.streaming.checkpointFileManagerClass"].endswith(
        ".AbortableStreamBasedCheckpointFileManager"
    )


def test_a_store_of_ones_own_is_named_with_its_region_and_how_it_names_buckets() -> None:
    of_the_cloud = storage_settings(in_a_bucket(region="eu-central-1"))
    own = storage_settings(in_a_bucket(endpoint="https://store.example:9000"))
    by_host = storage_settings(in_a_bucket(endpoint="https://vpce.example", path_style=False))

    assert of_the_cloud["spark.hadoop.fs.s3a.endpoint.region"] == "eu-central-1"
    assert "spark.hadoop.fs.s3a.endpoint" not in of_the_cloud
    assert own["spark.hadoop.fs.s3a.endpoint"] == "https://store.example:9000"
    assert own["spark.hadoop.fs.s3a.endpoint.region"] == "us-east-1", "what requests are signed for"
    assert [one["spark.hadoop.fs.s3a.path.style.access"] for one in (own, by_host)] == ["true", "false"]


def test_settings_never_hold_a_key(keys: Path) -> None:
    settings = spark_settings(in_a_bucket(keys_folder=str(keys)), {})

    assert SECRET not in str(settings)
    assert PROVIDER not in settings, "keys say themselves who reads them"
    assert "secret" in settings["spark.redaction.regex"]
    assert SECRET not in repr(read_keys(in_a_bucket(keys_folder=str(keys)).storage))


def test_without_keys_a_pod_asks_as_whom_the_cloud_takes_it_for() -> None:
    assert storage_settings(in_a_bucket())[PROVIDER].endswith(".DefaultCredentialsProvider")


def test_other_stores_are_configured_by_settings_of_hadoop() -> None:
    azure = {"fs.azure.account.auth.type": "OAuth"}
    config = job_config(Path("/t"), table_path="abfss://tables@a.example/t", storage={"settings": azure})

    assert storage_settings(config) == {"spark.hadoop.fs.azure.account.auth.type": "OAuth"}


def test_a_reader_without_a_jvm_finds_the_same_store(keys: Path) -> None:
    config = in_a_bucket(endpoint="http://store.example:9000", region="us-east-1", keys_folder=str(keys))

    assert reader_variables(config) == {
        "AWS_ENDPOINT_URL": "http://store.example:9000",
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
        "AWS_VIRTUAL_HOSTED_STYLE_REQUEST": "false",
        "AWS_ACCESS_KEY_ID": "AKIA",
        "AWS_SECRET_ACCESS_KEY": SECRET,
    }


def test_a_key_that_is_not_there_is_named(keys: Path) -> None:
    storage = in_a_bucket(keys_folder=str(keys)).storage
    (keys / "secretAccessKey").write_text("\n")
    with pytest.raises(StorageKeysError, match="secretAccessKey of the object store is empty"):
        read_keys(storage)
    (keys / "secretAccessKey").unlink()
    with pytest.raises(StorageKeysError, match=r"secretAccessKey of the object store cannot be read \(No such file"):
        read_keys(storage)
