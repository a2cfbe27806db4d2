"""`kwitness tables` reads tables on claims through drivers: a real API server, a driver's own server, a Delta table."""

from __future__ import annotations

import http.client
import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from kwitness.contracts.audiences import driver_audience, rows_audience
from kwitness.contracts.envelopes import ROWS_CONTENT_TYPE
from kwitness.contracts.job_config import JobConfig
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.e2e.api_server import ApiServer
from kwitness.jobs.driver.access_review import AccessReviewer
from kwitness.jobs.driver.kubernetes_reviews import KubernetesReviews
from kwitness.jobs.driver.row_reader import ReadRequest
from kwitness.jobs.driver.rows_endpoint import RowsEndpoint
from kwitness.jobs.driver.status_server import StatusServer
from kwitness.jobs.driver.token_review import TokenReviewer
from kwitness.jobs.frame.status import DriverStatus, StatusBoard

from tests.cli.command import Ended, Person
from tests.cli.conftest import account, cluster, role, token
from tests.cli.test_guides_of_tables import commands, documents
from tests.eventually import eventually

pytestmark = pytest.mark.slow
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ROWS = pa.table(
    {
        "topic": ["orders", "returns", "orders"],
        "bytes": pa.array([2**53 + 1, 2, 3], pa.int64()),
        "written": pa.array([MOMENT] * 3, pa.timestamp("us", "UTC")),
        "day": [date(2026, 11, 29), date(2026, 11, 29), date(2026, 11, 28)],
    }
)
Drivers = Callable[..., StatusServer]


@pytest.fixture
def drivers(api: ApiServer, namespace: str, with_status: Callable[..., None], tmp_path: Path) -> Iterator[Drivers]:
    """Start the server of the driver of an AnalyticsJob, whose table this machine does not have by its path."""
    subject = {"kind": "ServiceAccount", "name": "kwitness-spark", "namespace": namespace}
    kind = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": f"reviews-{namespace}"}}
    reviews = [("authentication.k8s.io", "tokenreviews"), ("authorization.k8s.io", "subjectaccessreviews")]
    rules = [{"apiGroups": [group], "resources": [resource], "verbs": ["create"]} for group, resource in reviews]
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": f"reviews-{namespace}"}
    api.objects.apply(
        account("kwitness-spark", namespace),
        account("kwitness-readers", namespace),
        {**kind, "kind": "ClusterRole", "rules": rules},
        {**kind, "kind": "ClusterRoleBinding", "roleRef": reference, "subjects": [subject]},
        cluster("main", namespace),
    )
    mounted = tmp_path / "serviceaccount"
    mounted.mkdir()
    (mounted / "token").write_text(token(api, "kwitness-spark", namespace))
    authority = json.loads(api.kubeconfig.read_text())["clusters"][0]["cluster"]["certificate-authority"]
    (mounted / "ca.crt").write_bytes(Path(authority).read_bytes())
    write_deltalake(tmp_path / "claim/table", ROWS)
    with ExitStack() as stack:

        def start(name: str, **bounds: Any) -> StatusServer:
            analysis = {"type": "UnusedTopics", "run": {"streaming": {}}, "table": name}
            api.objects.apply(
                {
                    "apiVersion": "kwitness.dev/v1beta1",
                    "kind": "AnalyticsJob",
                    "metadata": {"name": name, "namespace": namespace},
                    "spec": {"clusterRef": {"name": "main"}, "analyses": [analysis]},
                }
            )
            path = f"file:///var/lib/kwitness/tables/{name}/table"
            entry = {"table": name, "type": "UnusedTopics", "tablePath": path, "phase": "Running"}
            with_status("kaj", name, analyses=[entry], driverPod=f"kwitness-job-{name}-0")
            config = JobConfig(
                type="UnusedTopics",
                namespace=namespace,
                name=name,
                cluster_id="c",
                kafka=KafkaConnection(bootstrap_servers=()),
                table_path=(tmp_path / "claim/table").as_uri(),
                checkpoint_path="/c",
                quarantine_path="/q",
            )
            reviewed = KubernetesReviews(api.url, mounted)
            tokens = TokenReviewer(reviewed, rows_audience(namespace, name))
            # Time is for machines that do other things as well; its bounds are reached in test_rows_of_drivers.py.
            request = ReadRequest(path=config.table_path, seconds=600.0, **bounds)
            rows = RowsEndpoint(config, tokens, AccessReviewer(reviewed, namespace, name), request, 600.0)
            status = TokenReviewer(reviewed, driver_audience(namespace, name))
            server = StatusServer(StatusBoard(DriverStatus()), 0, status, rows=rows)
            server.start()
            stack.callback(server.stop)
            return server

        yield start


@pytest.fixture
def allowed(api: ApiServer, namespace: str) -> Callable[[str], None]:
    """Let the service account of the guide read the rows of one job, by the rule of the guide."""

    def allow(job: str) -> None:
        given, binding, *_ = documents("tables.md")
        rule, subject = given["rules"][0], f"{namespace}:{binding['subjects'][0]['name']}"
        api.objects.apply(*role("rows", namespace, rule | {"resourceNames": [job]}, subject))

    return allow


def test_the_commands_of_the_guide_read_rows_of_the_jobs_that_the_account_has_the_right_for(
    drivers: Drivers, allowed: Callable[[str], None], person: Person, namespace: str
) -> None:
    show, sql = (words[1:] for words in commands("tables.md") if "--job" in words)
    traffic, other = drivers("traffic"), drivers("other")
    refused = _types(person, traffic, *show)
    allowed("traffic")

    shown = _until(0, person, traffic, *show, "-o", "json")
    answered = _types(person, traffic, *sql, "-o", "json")
    elsewhere = _types(person, other, "show", "--job", "other")

    assert refused.returncode == 3
    user = f"system:serviceaccount:{namespace}:kwitness-readers"
    assert f"{user} may not get analyticsjobs.kwitness.dev/rows traffic in namespace {namespace}" in refused.stderr
    assert "--verb=get --resource=analyticsjobs.kwitness.dev/rows --resource-name=traffic" in refused.stderr
    assert f"--serviceaccount={namespace}:kwitness-readers" in refused.stderr
    assert json.loads(shown.stdout)["items"][0] == {
        "topic": "orders",
        "bytes": 2**53 + 1,
        "written": "2026-01-02 03:04:05+00:00",
        "day": "2026-11-29",
    }
    sums = {row["topic"]: row["bytes"] for row in json.loads(answered.stdout)["items"]}
    assert sums == {"orders": 2**53 + 1, "returns": 2}
    assert elsewhere.returncode == 3


def test_a_part_of_a_table_is_shown_and_not_queried(
    drivers: Drivers, allowed: Callable[[str], None], person: Person
) -> None:
    driver = drivers("unused", most_rows=2)
    allowed("unused")

    shown = _until(0, person, driver, "show", "--job", "unused", "--columns", "topic", "-o", "csv")
    queried = _types(person, driver, "sql", "SELECT 1", "--job", "unused")
    unknown = _types(person, driver, "sql", "SELECT 1", "--job", "unused", "--columns", "no")

    assert shown.stdout.split()[0] == "topic"
    assert len(shown.stdout.split()) == 3
    assert "the driver left out 1 row (rows)" in shown.stderr
    assert queried.returncode == 1
    assert "has 3 such rows, of which its driver gives 2 (rows), and SQL upon a part" in queried.stderr
    assert "the table has no column no: it has topic, bytes, written, day" in unknown.stderr


def test_no_other_token_opens_the_rows(drivers: Drivers, api: ApiServer, namespace: str) -> None:
    driver = drivers("unused")
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/kwitness-readers/token"
    tokens = [None, "administrator", token(api, "kwitness-readers", namespace)]
    for audience in (driver_audience(namespace, "unused"), rows_audience(namespace, "other")):
        review = api.request("POST", path, json={"spec": {"audiences": [audience]}}).json()
        tokens.append(review["status"]["token"])

    answers = [_get(driver, "/rows", bearer) for bearer in tokens]

    assert [status for status, _ in answers] == [401] * 5
    assert {error["error"]["reason"] for _, error in answers} == {"Unauthenticated"}


def test_what_is_missing_is_named_with_what_to_do(
    drivers: Drivers, person: Person, newcomer: Person, api: ApiServer, namespace: str
) -> None:
    driver = drivers("unused")
    rule = {"apiGroups": ["kwitness.dev"], "resources": ["analyticsjobs"], "verbs": ["get"]}
    api.objects.apply(*role("jobs", namespace, rule, f"{namespace}:newcomer"))
    job = ("--job", f"{namespace}/unused")

    tokenless = eventually(
        lambda: _types(newcomer, driver, "show", *job), lambda ended: "serviceaccounts/token" in ended.stderr
    )
    nobody = _types(person, driver, "show", *job, "--reader", f"{namespace}/nobody")
    away = person.types("tables", "show", *job, "--driver-address", "127.0.0.1:1")
    unforwarded = person.types("tables", "show", *job)
    wrong = person.types("tables", "show", *job, "--driver-address", "nonsense")
    old = _types(person, driver, "show", *job, "--version", "0")
    past = person.types("tables", "history", *job)

    assert "may not create serviceaccounts/token kwitness-readers" in tokenless.stderr
    assert "no service account nobody in namespace" in nobody.stderr
    assert f"kubectl create serviceaccount nobody --namespace {namespace}" in nobody.stderr
    assert "the driver of AnalyticsJob unused does not answer" in away.stderr
    assert f"kubectl logs kwitness-job-unused-0 --namespace {namespace}" in away.stderr
    assert "give an address of the port by --driver-address" in unforwarded.stderr
    assert "nonsense is no address such as 127.0.0.1:8090 (--driver-address)" in wrong.stderr
    assert "the newest version alone" in old.stderr
    assert "mount the claim" in past.stderr
    codes = [found.returncode for found in (tokenless, nobody, away, unforwarded, wrong, old, past)]
    assert codes == [3, 1, 1, 1, 1, 2, 1]


def _stream() -> bytes:
    """An answer whose end is missing."""
    output = io.BytesIO()
    with pa.ipc.new_stream(output, ROWS.schema) as stream:
        stream.write_table(ROWS)
    return output.getvalue()


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (200, b"", "not as this release of kwitness has it"),
        (200, b"\xff" * 64, "not as this release of kwitness has it"),
        (200, _stream()[:-100], "not as this release of kwitness has it"),
        (200, _stream(), "was broken off"),
        (500, b"<html>", "(status 500)"),
        (404, b'{"error": {"reason": "NotFound", "message": "x"}}', "of a release that answers no rows"),
        (503, b'{"error": {"reason": "Busy", "message": "try again"}}', "the driver of AnalyticsJob unused: try again"),
    ],
)
def test_what_is_no_answer_of_a_driver_is_refused(
    status: int, body: bytes, message: str, drivers: Drivers, person: Person
) -> None:
    drivers("unused")

    class Impostor(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Type", ROWS_CONTENT_TYPE)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Impostor) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ended = person.types("tables", "show", "--job", "unused", "--driver-address", f"127.0.0.1:{server.server_port}")
        server.shutdown()

    assert ended.returncode == 1
    assert message in ended.stderr
    assert "Traceback" not in ended.stderr


def _types(person: Person, driver: StatusServer, *arguments: str) -> Ended:
    return person.types("tables", *arguments, "--driver-address", f"127.0.0.1:{driver.port}")


def _until(status: int, person: Person, driver: StatusServer, *arguments: str) -> Ended:
    """Type it until permissions that were given a moment ago are known."""
    return eventually(lambda: _types(person, driver, *arguments), lambda ended: ended.returncode == status)


def _get(driver: StatusServer, path: str, bearer: str | None) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", driver.port, timeout=30)
    connection.request("GET", path, headers={} if bearer is None else {"Authorization": f"Bearer {bearer}"})
    answer = connection.getresponse()
    return answer.status, json.load(answer)
