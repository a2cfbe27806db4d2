"""`kwitness tables` finds tables by their AnalyticsJobs: a real API server, and an object store that speaks S3."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.object_store import REGION, ObjectStore

from tests.cli.command import Person
from tests.cli.conftest import cluster

pytestmark = pytest.mark.slow
MOMENT = "2026-01-01T00:00:00Z"
ROWS = pa.table({"topic": ["orders", "returns"], "readers": [1, 0]})
Maker = Callable[..., None]


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with ObjectStore() as started:
        started.make_bucket("tables")
        yield started


@pytest.fixture
def computed(api: ApiServer, namespace: str, with_status: Maker) -> Maker:
    """Make an AnalyticsJob whose status says where its table is."""

    def make(name: str, path: str | None, **status: Any) -> None:
        analysis = {"type": "UnusedTopics", "run": {"streaming": {"trigger": "30s"}}, "table": f"{name}_topics"}
        api.objects.apply(
            cluster("orders", namespace),
            {
                "apiVersion": "kwitness.dev/v1beta1",
                "kind": "AnalyticsJob",
                "metadata": {"name": name, "namespace": namespace},
                "spec": {"clusterRef": {"name": "orders"}, "analyses": [analysis]},
            },
        )
        if path is not None:
            pod = {"driverPod": f"kwitness-job-{name}-0"}
            entry = {"table": f"{name}_topics", "type": "UnusedTopics", "tablePath": path, **status}
            with_status("kaj", name, analyses=[entry], **pod)

    return make


def _variables(store: ObjectStore) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": store.endpoint,
        "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": store.keys.access,
        "AWS_SECRET_ACCESS_KEY": store.keys.secret,
    }


def test_a_table_in_a_bucket_is_read_by_its_job_with_the_keys_of_the_person(
    store: ObjectStore, computed: Maker, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = _variables(store)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    for name in ("unused", "other"):
        options = {"allow_http": "true", "aws_conditional_put": "etag"}
        write_deltalake(f"s3://tables/{name}/table", ROWS, storage_options=options)
        computed(name, f"s3a://tables/{name}/table", phase="Running")

    query = "SELECT topic FROM unused_topics JOIN other_topics USING (topic) WHERE unused_topics.readers = 0"
    shown = json.loads(person.done("tables", "show", "--job", "unused", "-o", "json"))["items"]
    joined = person.done("tables", "sql", query, "--job", "unused", "--job", "other", "-o", "csv")
    versions = person.done("tables", "history", "--job", "unused", "-o", "name")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    refused = person.types("tables", "show", "--job", "unused")

    assert shown == ROWS.to_pylist()
    assert joined.splitlines() == ["topic", "returns"]
    assert versions == "0\n"
    assert refused.returncode == 1
    assert "s3a://tables/unused/table cannot be read (" in refused.stderr
    assert "give region, keys and endpoint by the variables of the store's own tools" in refused.stderr


def test_a_bucket_that_is_away_is_named_in_time(
    computed: Maker, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"ENDPOINT_URL": "http://127.0.0.1:1", "ACCESS_KEY_ID": "x", "SECRET_ACCESS_KEY": "y"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_REGION", REGION)
    computed("unused", "s3a://tables/unused/table", phase="Running")

    done = person.types("tables", "sql", "SELECT 1", "--job", "unused")

    assert done.returncode == 1
    assert "Connection refused" in done.stderr
    assert "\x1b" not in done.stderr


def test_a_table_on_a_claim_is_read_where_the_claim_is_mounted(
    computed: Maker, person: Person, namespace: str, tmp_path: Path
) -> None:
    write_deltalake(str(tmp_path / "a b/table"), ROWS)
    computed("here", (tmp_path / "a b/table").as_uri(), phase="Succeeded")
    computed("running", "file:///var/lib/kwitness/tables/x/table", phase="Running")
    computed(
        "ended",
        "file:///var/lib/kwitness/tables/y/table",
        phase="Succeeded",
        lastRun={"completionTime": MOMENT, "succeeded": True},
    )
    computed("new", None)

    count = ("tables", "sql", "SELECT count(*) AS n FROM here_topics", "--job", "here", "-o", "csv")
    here = person.done(*count)
    chosen = person.done(*count, "--where", "readers > 0")
    shown = person.done("tables", "show", str(tmp_path / "a b"), "--where", "topic = returns", "-o", "json")
    unfit = person.types("tables", "show", "--job", "here", "--where", "readers = many")
    folder = person.types("tables", "sql", "SELECT 1", str(tmp_path), "--where", "readers > 0")
    running, ended, new, none = (
        person.types("tables", "show", "--job", name).stderr for name in ("running", "ended", "new", f"{namespace}/no")
    )

    assert here.split() == ["n", "2"]
    assert chosen.split() == ["n", "1"]
    assert json.loads(shown)["items"] == [{"topic": "returns", "readers": 0}]
    assert "--where: 'many' is no value of column readers, whose type is int64" in unfit.stderr
    assert (folder.returncode, "write them in the QUERY" in folder.stderr) == (2, True)
    assert "no service account kwitness-readers in namespace" in running
    assert re.search(r"It was computed [0-9].* ago, and no driver runs \(phase Succeeded\): mount the claim", ended)
    assert f"AnalyticsJob new has no table yet: `kwitness jobs describe new --namespace {namespace}`" in new
    assert f"there is no AnalyticsJob no in namespace {namespace}: `kwitness jobs list -A` shows all" in none


def test_the_permission_that_is_missing_is_named(computed: Maker, newcomer: Person, namespace: str) -> None:
    computed("unused", "s3a://tables/unused/table")

    done = newcomer.types("--namespace", namespace, "tables", "show", "--job", "unused")

    assert done.returncode == 3
    assert "may not get analyticsjobs.kwitness.dev unused" in done.stderr


@pytest.mark.parametrize("line", ["show", "history", "show x --job y", "sql q", "sql q x --job y"])
def test_a_table_is_named_in_one_way(line: str, person: Person) -> None:
    done = person.types("tables", *line.split())

    assert done.returncode == 2
    assert "or --job NAME" in done.stderr


@pytest.mark.parametrize("name", ["", "/", "a/", "no/such/job", "A'\"%00\t\\;$(x)é", "a b"])
def test_names_with_any_character_are_answered(name: str, person: Person) -> None:
    done = person.types("tables", "show", "--job", name)

    assert done.returncode in {1, 2}
    assert "Traceback" not in done.stderr
