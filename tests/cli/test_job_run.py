"""`kwitness jobs run`: a job's driver on this machine, over a real broker, and what it says where it cannot run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kwitness.answers.failure import CommandFailedError
from kwitness.cli.client_properties import connection, read_properties
from kwitness.cli.job_configuration import JobOptions, job_config
from kwitness.cli.job_reads import GivenInputs
from kwitness.contracts.owner_lookup import OwnerLookup
from kwitness.e2e.kafka.local_broker import Listener, LocalBroker
from kwitness.images.spark_classes import spark_variables
from kwitness.sandbox.waiting import run_to_end

from tests.jobs.kafka_topics import Topics, unique_names
from tests.jobs.traffic import otlp, push, snapshot

NAMED = {"bootstrap_servers": ["localhost:9092"]}


def kwitness(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kwitness.cli", *arguments]
    given = {"PATH": os.environ["PATH"]} if environment is None else environment
    return run_to_end(command, env=given)


@pytest.mark.broker
def test_an_inventory_is_made_on_a_laptop_with_a_password_and_tls(kafka: LocalBroker, tmp_path: Path) -> None:
    names = unique_names()
    topics = Topics(kafka.bootstrap, names).create()
    now = str(time.time_ns() // 1_000_000)
    topics.write([push(1, otlp(["a"]), principal="User:alice", received_at_ms=now), snapshot(2, sent_at_ms=int(now))])
    assert kafka.certificates is not None
    properties = tmp_path / "client.properties"
    properties.write_text(
        "# as Kafka's own tools take it\n"
        "security.protocol=SASL_SSL\n"
        "sasl.mechanism=SCRAM-SHA-512\n"
        "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n"
        f'  username="admin" password="{kafka.users["admin"]}";\n'
        f"ssl.truststore.type=PEM\nssl.truststore.location={kafka.certificates.ca_file}\n"
    )
    prefix, variables = names.telemetry.partition(".")[0], spark_variables()

    done = kwitness(
        *("jobs", "run", "ClientInventory", "--bootstrap", kafka.bootstrap_of(Listener.SASL_SSL_SCRAM)),
        *("--config", str(properties), "--prefix", prefix, "--table", str(tmp_path / "inventory")),
        *("--jars", variables.pop("KWITNESS_SPARK_JARS"), "--parameter", "forgetAfter=48h"),
        environment={name: os.environ[name] for name in ("PATH", "SPARK_CONF_DIR")} | variables,
    )

    assert done.returncode == 0, done.stderr
    heading, *lines = done.stdout.splitlines()
    assert heading.startswith("KIND")
    assert [line.split()[0] for line in lines] == ["instance", "software"]
    assert "kwitness jobs: 2 of 2 records in the table" in done.stderr
    assert kafka.users["admin"] not in done.stderr + done.stdout
    listed = kwitness("tables", "list", str(tmp_path), "-o", "json")
    (table,) = [one for one in json.loads(listed.stdout)["items"] if one["name"] == "inventory"]
    assert (table["rows"], table["computed_by"]) == (2, "ClientInventory/1")


@pytest.mark.slow
def test_what_is_missing_is_named_with_what_to_do(tmp_path: Path) -> None:
    ask = ("jobs", "run", "ClientInventory", "--bootstrap", "localhost:1", "--table", str(tmp_path / "table"))

    without_jars = kwitness(*ask)
    without_java = kwitness(*ask, environment={"PATH": str(tmp_path)})
    hidden = {"PATH": os.environ["PATH"], "PYTHONPATH": str(_without("pyspark", tmp_path))}
    without_spark = kwitness(*ask, environment=hidden)

    assert [one.returncode for one in (without_jars, without_java, without_spark)] == [1, 1, 1]
    assert "`make spark-jars` collects them by Maven and prints their folder" in without_jars.stderr
    assert "install a JRE of 17 or later" in without_java.stderr
    assert "a job needs pyspark" in without_spark.stderr
    assert "pip install --find-links dist 'kwitness[spark]'" in without_spark.stderr
    assert not (tmp_path / "table").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (JobOptions("Inventory", "/tmp/t"), "there is no job of type Inventory: name one of ClientInventory"),
        (JobOptions("ClientInventory", "/tmp/t", parameters=["forgetAfter"]), "has no `=` between name and value"),
        (JobOptions("ClientInventory", "/tmp/t", parameters=["forgetAfter=soon"]), "clientInventory.forgetAfter: "),
        (
            JobOptions("ClientInventory", "/tmp/t", parameters=["topics=[]"]),
            "--parameter topics: ClientInventory takes forgetAfter",
        ),
        (JobOptions("UpgradeImpact", "/tmp/t"), "upgradeImpact.target: Field required"),
        (
            JobOptions("UpgradeImpact", "/tmp/t", parameters=["target=4.99"]),
            "--parameter target: this version does not know Kafka 4.99: name one of 3.9, 4.0",
        ),
        (JobOptions("ClientInventory", "/tmp/t", window="5 minutes"), "--window: '5 minutes' is not a duration"),
    ],
)
def test_options_that_the_job_does_not_take_are_refused_before_it_starts(options: JobOptions, message: str) -> None:
    with pytest.raises(CommandFailedError) as refused:
        job_config(options, NAMED)

    assert message in str(refused.value)


def test_topics_parameters_and_folders_are_those_that_an_operator_would_write() -> None:
    options = JobOptions(
        "ClientInventory",
        "/data/inventory",
        prefix="shop",
        parameters=["forgetAfter=48h"],
        streaming=True,
        trigger="30s",
    )

    config = job_config(options, NAMED)

    assert (config.topics.telemetry, config.topics.seals) == ("shop.telemetry", "shop.seals")
    assert (config.table_path, config.checkpoint_path) == (
        "file:///data/inventory/table",
        "file:///data/inventory/checkpoint",
    )
    assert config.parameters == {"forget_after": "48h"}
    assert (config.run.mode, config.run.trigger_seconds, config.executors.instances) == ("streaming", 30.0, 0)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for table in ("traffic/table", "drift"):
        (tmp_path / table / "_delta_log").mkdir(parents=True)
    (tmp_path / "owners.yaml").write_text("owners:\n- {team: orders, match: {topic: orders.*}}\n")
    (tmp_path / "rates.yaml").write_text("currency: EUR\nbytesInPerGiB: 5\n")
    (tmp_path / "broken.yaml").write_text("owners:\n- {team: orders}\n")
    return tmp_path


def test_costs_are_told_from_tables_owners_and_rates_that_options_name(files: Path) -> None:
    reads = GivenInputs(
        tables=(f"Traffic={files}/traffic", f"HeaderDrift={files}/drift"),
        owners=f"{files}/owners.yaml",
        rate_card=f"{files}/rates.yaml",
    )
    parameters = ['groupBy=["Team","Header"]', "header=charge.tag"]

    config = job_config(JobOptions("CostAttribution", "/data/costs", parameters=parameters, reads=reads), NAMED)

    assert config.input_tables == {
        "Traffic": (files / "traffic/table").as_uri(),
        "HeaderDrift": (files / "drift").as_uri(),
    }
    assert config.owners is not None
    owner = OwnerLookup(config.owners).owner_of({"topic": "orders.new"}, at_ms=0)
    assert owner is not None
    assert owner.team == "orders"
    assert config.rate_card is not None
    assert config.rate_card.bytes_in_per_gib == 5
    assert config.parameters["group_by"] == ["Team", "Header"]
    assert job_config(
        JobOptions("CostAttribution", "/c", reads=reads._replace(tables=("Traffic=s3a://b/traffic/",))), NAMED
    ).input_tables == {"Traffic": "s3a://b/traffic/table"}


def test_a_mirror_has_a_connection_of_its_own() -> None:
    reads = GivenInputs(second={"bootstrap_servers": ["eu:1"]}, second_prefix="other", second_cluster_id="eu-id")

    config = job_config(JobOptions("MirrorAudit", "/data/mirror", reads=reads), NAMED)

    assert config.second is not None
    assert (config.second.cluster_id, config.second.kafka.bootstrap_servers) == ("eu-id", ("eu:1",))
    assert config.second.topics.traffic == "other.traffic"
    assert config.kafka.bootstrap_servers == ("localhost:9092",)


SOURCE = GivenInputs(second=NAMED)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (JobOptions("LedgerAudit", "/t", reads=GivenInputs(owners="o")), "--owners: LedgerAudit does not read that"),
        (JobOptions("Traffic", "/t", reads=GivenInputs(rate_card="o")), "--rate-card: Traffic does not read that"),
        (JobOptions("Traffic", "/t", reads=SOURCE), "--target-bootstrap: Traffic does not read"),
        (JobOptions("Traffic", "/t", reads=GivenInputs(("Traffic=/a",))), "Traffic reads no other job's table"),
        (JobOptions("CostAttribution", "/t"), "CostAttribution reads the table of Traffic: give --input Traffic="),
        (JobOptions("CostAttribution", "/t", reads=GivenInputs(("Traffic",))), "as Traffic=/data/traffic"),
        (JobOptions("CostAttribution", "/t", reads=GivenInputs(("Other=/a",))), "takes Traffic, HeaderDrift"),
        (JobOptions("CostAttribution", "/t", reads=GivenInputs(("Traffic=FILES",))), "there is no Delta table"),
        (JobOptions("CostAttribution", "/t", reads=GivenInputs(("Traffic=FILES/traffic",))), "give --rate-card FILE"),
        (
            JobOptions("CostAttribution", "/t", reads=GivenInputs(("Traffic=FILES/drift", "Traffic=FILES/drift"))),
            "is given twice",
        ),
        (
            JobOptions("CostAttribution", "/t", reads=GivenInputs(("Traffic=FILES/drift",), "FILES/broken.yaml")),
            "broken.yaml cannot be used: line 2, owners entry 1 match: is missing",
        ),
        (
            JobOptions("CostAttribution", "/t", reads=GivenInputs(("Traffic=FILES/drift",), "", "FILES/none.yaml")),
            "none.yaml cannot be read",
        ),
        (
            JobOptions(
                "CostAttribution",
                "/t",
                parameters=['groupBy=["Team"]'],
                reads=GivenInputs(("Traffic=FILES/drift",), "", "FILES/rates.yaml"),
            ),
            "Team is known of owners alone: give --owners FILE",
        ),
        (JobOptions("MirrorAudit", "/t"), "compares two clusters: give --target-bootstrap"),
        (JobOptions("MirrorAudit", "/t", streaming=True), "--streaming: MirrorAudit reads what is there and ends"),
        (JobOptions("MirrorAudit", "/t", prefix="kwitness", reads=SOURCE), "is the source itself"),
    ],
)
def test_inputs_that_the_job_cannot_use_are_refused_before_it_starts(
    files: Path, options: JobOptions, message: str
) -> None:
    tables = tuple(one.replace("FILES", str(files)) for one in options.reads.tables)
    owners, rates = (one.replace("FILES", str(files)) for one in (options.reads.owners, options.reads.rate_card))
    reads = options.reads._replace(tables=tables, owners=owners, rate_card=rates)

    with pytest.raises(CommandFailedError) as refused:
        job_config(options._replace(reads=reads), NAMED)

    assert message in str(refused.value)


def test_a_release_is_no_number() -> None:
    config = job_config(JobOptions("UpgradeImpact", "/tmp/t", parameters=["target=4.4", "usedWithin=48h"]), NAMED)

    assert config.parameters == {"target": "4.4", "used_within": "48h"}


def test_passwords_are_written_for_their_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text(
        "bootstrap.servers: a:1, b:2\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=plain\n"
        'sasl.jaas.config=x.PlainLoginModule required username=me password="p\\"w;d";\n'
    )

    fields = connection(read_properties(str(file)), None, tmp_path)

    authentication = fields["authentication"]
    password = Path(authentication.pop("password_file"))
    assert authentication == {"type": "plain", "username": "me", "hosts": "a:1,b:2"}
    assert (password.read_text(), password.stat().st_mode & 0o777) == ('p"w;d', 0o600)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no Kafka cluster is named"),
        ("bootstrap.servers=a:1\nsecurity.protocol=TLS", "security.protocol is 'TLS': give one of PLAINTEXT, SSL"),
        ("bootstrap.servers=a:1\nsecurity.protocol=SASL_SSL", "sasl.mechanism is ''"),
        ("bootstrap.servers=a:1\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN", "needs a user name and a password"),
        ("bootstrap.servers=a:1\nsecurity.protocol=SSL\nssl.truststore.location=/x.jks", "is JKS: only PEM is read"),
        ("bootstrap.servers=a:1\nsecurity.protocol=SSL\nssl.ca.location=/x.pem", "/x.pem, which the properties name"),
        ("acks=all", "has acks, which is not understood here: leave it out"),
    ],
)
def test_properties_that_lack_something_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "client.properties"
    file.write_text(text)

    with pytest.raises(CommandFailedError) as refused:
        connection(read_properties(str(file)), None, tmp_path)

    assert message in str(refused.value)


def _without(library: str, folder: Path) -> Path:
    """A folder for the path of modules, with which a library cannot be found."""
    hiding = folder / "hiding"
    hiding.mkdir()
    (hiding / "sitecustomize.py").write_text(
        "import importlib.machinery\n"
        "find = importlib.machinery.PathFinder.find_spec\n"
        f"hide = lambda name, *rest: None if name.partition('.')[0] == {library!r} else find(name, *rest)\n"
        "importlib.machinery.PathFinder.find_spec = hide\n"
    )
    return hiding


def test_a_table_in_a_bucket_is_addressed_as_hadoop_does_and_found_by_the_stores_own_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://store.example:9000")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary")

    in_a_bucket = job_config(JobOptions("ClientInventory", "s3://tables/inventory"), NAMED)
    on_a_volume = job_config(JobOptions("ClientInventory", "/data/inventory"), NAMED)

    assert in_a_bucket.table_path == "s3a://tables/inventory/table"
    assert (in_a_bucket.storage.endpoint, in_a_bucket.storage.region) == ("http://store.example:9000", "eu-central-1")
    assert in_a_bucket.storage.keys_folder is None, "they are read from the environment"
    assert "canary" not in in_a_bucket.model_dump_json()
    assert on_a_volume.storage.endpoint is None
