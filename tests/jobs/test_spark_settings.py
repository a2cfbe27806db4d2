from __future__ import annotations

from pathlib import Path

import pyspark
import pytest

from kwitness.contracts.software import OUR_VERSION_SUFFIX
from kwitness.images.commands import run
from kwitness.images.s3a_jars import s3a_jars
from kwitness.images.spark_classes import spark_variables
from kwitness.images.spark_jars import spark_jars
from kwitness.jobs.driver.spark_settings import spark_settings

from tests.jobs.conftest import job_config

POD = {
    "POD_IP": "10.0.0.7",
    "POD_NAME": "kwitness-job-inventory-0",
    "POD_NAMESPACE": "team-a",
    "KUBERNETES_SERVICE_HOST": "10.96.0.1",
    "KUBERNETES_SERVICE_PORT": "443",
}
PYSPARK_JARS = Path(pyspark.__file__).parent / "jars"
EXECUTORS = {"instances": 2, "cores": 1, "memory": "512m", "image": "spark:1", "pod_template_file": "/etc/x.yaml"}


def test_a_driver_in_a_pod_asks_kubernetes_for_executors() -> None:
    settings = spark_settings(job_config(Path("/t"), executors=EXECUTORS), POD)

    assert settings["spark.master"] == "k8s://https://10.96.0.1:443"
    assert settings["spark.driver.host"] == "10.0.0.7"
    assert settings["spark.kubernetes.namespace"] == "team-a"
    assert settings["spark.kubernetes.driver.pod.name"] == "kwitness-job-inventory-0"
    assert settings["spark.executor.instances"] == "2"
    assert settings["spark.executor.memory"] == "512m"
    assert settings["spark.kubernetes.executor.podTemplateFile"] == "/etc/x.yaml"


def test_executors_are_pulled_as_the_installation_says() -> None:
    executors = {**EXECUTORS, "image_pull_policy": "Always"}

    settings = spark_settings(job_config(Path("/t"), executors=executors), POD)

    assert settings["spark.kubernetes.container.image.pullPolicy"] == "Always"


def test_executors_take_what_they_need_over_encrypted_connections() -> None:
    settings = spark_settings(job_config(Path("/t"), executors=EXECUTORS), POD)

    assert settings["spark.authenticate"] == "true"
    assert settings["spark.network.crypto.enabled"] == "true"


def test_addresses_of_version_6_are_bracketed() -> None:
    pod = {**POD, "POD_IP": "fd00::7", "KUBERNETES_SERVICE_HOST": "fd00::1"}

    settings = spark_settings(job_config(Path("/t"), executors=EXECUTORS), pod)

    assert settings["spark.master"] == "k8s://https://[fd00::1]:443"
    assert settings["spark.driver.host"] == "[fd00::7]"


def test_without_a_pod_all_runs_in_this_process() -> None:
    settings = spark_settings(job_config(Path("/t")), {"KWITNESS_SPARK_JARS": "/jars"})

    assert settings["spark.master"] == "local[1]"
    resources, *jars = settings["spark.driver.extraClassPath"].split(":")
    assert jars == ["/jars/*"]
    several = spark_settings(job_config(Path("/t")), {"KWITNESS_SPARK_JARS": "/jars:/more"})
    assert several["spark.executor.extraClassPath"] == f"{resources}:/jars/*:/more/*"
    assert not [key for key in settings if "kubernetes" in key]


def test_drivers_and_executors_read_classes_from_the_archive_whatever_jars_come_after_it() -> None:
    settings = spark_settings(job_config(Path("/t"), executors=EXECUTORS), POD | spark_variables(s3a_jars()))

    for process in ("driver", "executor"):
        options = settings[f"spark.{process}.extraJavaOptions"].split()
        path = f"{settings[f'spark.{process}.extraClassPath']}:{Path(__file__).parents[1] / 'spark'}:{PYSPARK_JARS}/*"
        loading = ["java", *options, "-Xlog:class+load", "-cp", path, "org.apache.spark.deploy.SparkSubmit"]
        loaded = run([*loading, "--version"])
        assert "org.apache.spark.deploy.SparkSubmit source: shared objects file (top)" in loaded


def test_an_archive_that_is_not_there_keeps_nothing_from_starting() -> None:
    settings = spark_settings(job_config(Path("/t")), {"KWITNESS_SPARK_CLASSES": "/nowhere"})

    run(["java", *settings["spark.driver.extraJavaOptions"].split(), "-version"])


@pytest.mark.parametrize("variable", ["KWITNESS_SPARK_JARS", "KWITNESS_SPARK_CLASSES"])
def test_clients_announce_the_version_of_their_jar_marked_as_the_platforms_own(tmp_path: Path, variable: str) -> None:
    settings = spark_settings(job_config(Path("/t")), {variable: spark_variables()[variable]})
    [slf4j] = PYSPARK_JARS.glob("slf4j-api-*.jar")
    [jar] = spark_jars().glob("kafka-clients-*.jar")
    program = tmp_path / "Announced.java"
    program.write_text(
        "class Announced { public static void main(String[] none) {"
        " System.out.println(org.apache.kafka.common.utils.AppInfoParser.getVersion()); } }"
    )

    announced = run(["java", "-cp", f"{settings['spark.executor.extraClassPath']}:{slf4j}", program])

    assert announced.split() == [jar.stem.removeprefix("kafka-clients-") + OUR_VERSION_SUFFIX]


def test_a_job_without_executors_runs_in_its_driver() -> None:
    settings = spark_settings(job_config(Path("/t"), executors={"instances": 0}), POD)

    assert settings["spark.master"] == "local[1]"


@pytest.mark.parametrize(("instances", "cores", "tasks"), [(0, 1, "1"), (0, 2, "2"), (1, 1, "4"), (8, 4, "32")])
def test_a_step_has_a_task_for_each_core_that_can_do_one(instances: int, cores: int, tasks: str) -> None:
    executors = {**EXECUTORS, "instances": instances, "cores": cores}

    settings = spark_settings(job_config(Path("/t"), executors=executors), POD)

    assert settings["spark.sql.shuffle.partitions"] == tasks


def test_the_heap_of_the_driver_can_be_set() -> None:
    settings = spark_settings(job_config(Path("/t")), {"KWITNESS_SPARK_DRIVER_MEMORY": "700m"})

    assert settings["spark.driver.memory"] == "700m"
