"""The injector before a real API server, which asks it about pods."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import re
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.contracts.injections import injection_hash
from kwitness.contracts.interceptor_injections import INTERCEPTORS
from kwitness.contracts.own_metrics import OWN_METRICS
from kwitness.e2e.api_server import ApiServer
from kwitness.e2e.certificates import Authority
from kwitness.injector.certificates.issuing import issue
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import wait_for_exit

from tests.eventually import eventually
from tests.injector.injector_process import InjectorProcess, Surroundings, has_observer
from tests.injector.interceptor_samples import interceptors
from tests.injector.samples import POD, injection

WRONG_REVIEWS = {
    "not JSON": (b"{", "Invalid JSON"),
    "another kind": (b'{"apiVersion": "v1", "kind": "Pod"}', "apiVersion"),
    "without request": (b'{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}', "request: Field required"),
    "another object": (
        b"""{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1", "namespace": "a",
        "operation": "CREATE", "object": {}, "kind": {"group": "", "version": "v1", "kind": "Service"}}}""",
        "request.kind.kind: Input should be 'Pod'",
    ),
}


@pytest.fixture(scope="module")
def around(api_server: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Surroundings:
    return Surroundings(api_server, "injector", tmp_path_factory.mktemp("injector"))


@pytest.fixture(scope="module")
def injector(around: Surroundings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InjectorProcess]:
    """One that goes on through the module; tests leave it as it was."""
    process = InjectorProcess(around, tmp_path_factory.mktemp("process"))
    around.inject({})
    yield process.until_ready()
    assert process.stop() == 0
    assert [line for line in process.lines() if "exception" in line] == []


@pytest.fixture(autouse=True)
def ready(around: Surroundings, injector: InjectorProcess) -> None:
    around.inject({})
    around.until_injects()


def test_a_pod_gets_its_observer_in_a_restricted_namespace_and_is_stored(around: Surroundings) -> None:
    pod, warning = around.make_pod(dry=False)

    observer, spec = pod["spec"]["initContainers"][0], pod["spec"]
    assert (observer["name"], observer["restartPolicy"]) == ("kwitness-observer", "Always")
    assert spec["containers"][0]["env"] == [{"name": "KAFKA_BOOTSTRAP_SERVERS", "value": "127.0.0.1:19092"}]
    marks = pod["metadata"]["annotations"]
    own = injection(namespace=around.tenant, settings={"namespace": around.tenant})
    assert marks["kwitness.dev/observer"] == f"{around.tenant}/orders"
    assert marks["kwitness.dev/config-hash"] == injection_hash(own)
    assert json.loads(marks["observer.kwitness.dev/observer.json"])["namespace"] == around.tenant
    assert warning == ""


def test_a_stored_pod_that_is_made_again_is_not_changed(around: Surroundings) -> None:
    pod, _ = around.make_pod()
    spec = {key: pod["spec"][key] for key in ("initContainers", "containers", "volumes")}

    again, _ = around.make_pod({"metadata": {"annotations": pod["metadata"]["annotations"]}, "spec": spec})

    assert again["spec"]["initContainers"] == pod["spec"]["initContainers"]
    assert again["spec"]["volumes"] == pod["spec"]["volumes"]
    assert again["metadata"]["annotations"] == pod["metadata"]["annotations"]


def test_who_makes_a_pod_is_told_why_it_gets_none(around: Surroundings, injector: InjectorProcess) -> None:
    pod, warning = around.make_pod({"spec": {"os": None, "nodeSelector": {"kubernetes.io/os": "windows"}}})

    assert not has_observer(pod)
    assert pod["metadata"]["annotations"]["kwitness.dev/observers-left-out"] == f"{around.tenant}/orders=Windows"
    assert f"this pod gets no observer ({around.tenant}/orders: Windows)" in warning
    assert 'reviews_total{outcome="left_out",reason="Windows"} 1.0' in injector.probe("/metrics")[1]


def test_every_metric_of_the_registry_is_exposed_with_its_type_and_help(injector: InjectorProcess) -> None:
    text = injector.probe("/metrics")[1]

    types = dict(re.findall(r"^# TYPE (kwitness_\S+) (\S+)$", text, re.MULTILINE))
    helps = dict(re.findall(r"^# HELP (kwitness_\S+) (.+)$", text, re.MULTILINE))
    expected = [metric for metric in OWN_METRICS if "injector" in metric.source.split(", ")]
    assert types == {metric.name: metric.type for metric in expected}
    assert helps == {metric.name: metric.help for metric in expected}


def test_a_pod_that_opted_out_is_not_asked_about(around: Surroundings, injector: InjectorProcess) -> None:
    pod, _ = around.make_pod({"metadata": {"labels": {"kwitness.dev/inject": "false"}}})

    assert not has_observer(pod)
    assert 'outcome="opted_out"' not in injector.probe("/metrics")[1]


def test_new_injections_count_from_then_on_and_bad_ones_leave_those_before(
    around: Surroundings, injector: InjectorProcess
) -> None:
    around.inject({"observer": {"image": "kwitness/observer:2"}})
    eventually(
        lambda: around.make_pod()[0]["spec"]["initContainers"][0]["image"], "kwitness/observer:2".__eq__, every=0.1
    )

    around.write_injections('{"injections": [{"name": "Password-1"}]}')
    eventually(lambda: "kwitness_injector_config_good 0.0" in injector.probe("/metrics")[1], every=0.1)

    assert around.make_pod()[0]["spec"]["initContainers"][0]["image"] == "kwitness/observer:2"
    refusals = [line for line in injector.lines() if line["message"].startswith("The injections cannot be read")]
    assert refusals[-1]["place"].startswith("injections.0")
    assert "Password-1" not in injector.log_file.read_text()


def test_without_injections_nothing_is_injected(around: Surroundings) -> None:
    around.forget_injections()

    eventually(lambda: not around.injects(), every=0.1)


def test_a_namespace_counts_by_the_labels_that_it_has_now(around: Surroundings) -> None:
    around.inject({"namespace_selector": {"match_labels": {"tier": "one"}}})
    eventually(lambda: not around.injects())

    for tier in ("one", "two", "one", None):
        around.label({"tier": tier})
        eventually(around.injects, (tier == "one").__eq__)


def test_a_namespace_counts_as_soon_as_it_is_enabled(around: Surroundings) -> None:
    around.enable(enabled=False)
    eventually(lambda: not around.injects(), every=0.1)

    around.enable(enabled=True)

    around.until_injects()


def test_a_profile_of_one_namespace_is_for_workloads_in_fifty_others(around: Surroundings) -> None:
    # Given
    names = [f"{around.tenant}-{number}" for number in range(51)]
    *meant, another = names
    for name in names:
        labels = {"kwitness.dev/injection": "enabled", "organisation": "theirs" if name == another else "ours"}
        metadata = {"name": name, "labels": labels}
        around.api.objects.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    around.inject()

    # When
    around.write_interceptors(
        interceptors(
            namespace=around.release, name="organisation", namespace_selector={"match_labels": {"organisation": "ours"}}
        )
    )

    # Then
    def owner_in(name: str) -> str | None:
        return around.make_pod(namespace=name)[0]["metadata"].get("annotations", {}).get(INTERCEPTORS)

    try:
        for name in meant:
            eventually(lambda name=name: owner_in(name), f"{around.release}/organisation".__eq__, every=0.1)
        assert owner_in(another) is None
        assert owner_in(around.tenant) is None
    finally:
        around.write_interceptors()


@pytest.mark.parametrize(("body", "said"), WRONG_REVIEWS.values(), ids=WRONG_REVIEWS)
def test_a_bad_review_is_refused_with_what_is_wrong(
    around: Surroundings, injector: InjectorProcess, body, said
) -> None:
    code, text = injector.review(body, around.told())

    assert code == 400
    assert said in text
    assert "correct the rules of the MutatingWebhookConfiguration" in text


def test_silent_connections_of_one_address_end_none_of_another(injector: InjectorProcess) -> None:
    def connect(source: str) -> socket.socket:
        return socket.create_connection(("127.0.0.1", injector.port), 10, (source, 0))

    def is_open(sock: socket.socket) -> bool:
        sock.setblocking(False)
        try:
            return bool(sock.recv(1))
        except BlockingIOError:
            return True
        except OSError:
            return False

    with contextlib.ExitStack() as stack:
        first = stack.enter_context(connect("127.0.0.2"))
        others = [stack.enter_context(connect("127.0.0.3")) for _ in range(300)]
        eventually(lambda: sum(map(is_open, others)), lambda count: count <= 64)
        assert is_open(first)


def test_where_clients_need_a_certificate_others_have_no_answer(
    around: Surroundings, tmp_path: Path, injector: InjectorProcess
) -> None:
    ours, of_others = Authority("clients"), Authority("others")
    ca_file, body = tmp_path / "ca.crt", WRONG_REVIEWS["not JSON"][0]
    ca_file.write_text(ours.certificate)
    known, unknown = tmp_path / "known.pem", tmp_path / "unknown.pem"
    for file, authority in ((known, ours), (unknown, of_others)):
        issued = authority.issue("kube-apiserver")
        file.write_text(issued.certificate + issued.key)

    process = InjectorProcess(around, tmp_path, port=free_port(), client_ca_file=ca_file).until_ready()
    try:
        assert process.review(body, around.told(), known)[0] == 400
        for stranger in (unknown, None):
            with pytest.raises(OSError):  # noqa: PT011 - TLS ends the connection, before or after the request
                process.review(body, around.told(), stranger)
    finally:
        process.stop()


def test_a_pod_that_makes_no_sense_is_made_without_observer(around: Surroundings, injector: InjectorProcess) -> None:
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    pod = {"metadata": {"labels": {"app": "orders"}}, "spec": {"containers": "none"}}
    request = {"uid": "1", "namespace": around.tenant, "operation": "CREATE", "object": pod, "kind": kind}
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}

    code, text = injector.review(json.dumps(review).encode(), around.told())

    assert (code, json.loads(text)["response"]) == (200, {"uid": "1", "allowed": True})
    assert 'reviews_total{outcome="failed",reason=""} 1.0' in injector.probe("/metrics")[1]
    # It is in the log, once, and was asked for here.
    failed = [line for line in injector.lines() if "exception" in line]
    assert [line["message"] for line in failed] == ["A review failed; the pod is made as it is"]
    injector.log_file.write_text("")


def test_it_asks_for_nothing_that_the_chart_does_not_allow(around: Surroundings, injector: InjectorProcess) -> None:
    user = f"system:serviceaccount:{around.release}:kwitness-injector"
    asked = [event for event in around.api.audit() if event["user"].get("username") == user]

    assert {event["verb"] for event in asked} >= {"get", "list", "watch", "update", "patch"}
    assert [event["requestURI"] for event in asked if event["responseStatus"]["code"] == 403] == []


@pytest.fixture(scope="module")
def alone(api_server: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> Surroundings:
    """A release of its own, whose injectors come and go."""
    alone = Surroundings(api_server, "injector-alone", tmp_path_factory.mktemp("alone"))
    alone.inject({})
    return alone


def test_pods_are_made_without_observer_while_it_is_down(alone: Surroundings, tmp_path: Path) -> None:
    process = InjectorProcess(alone, tmp_path).until_ready()
    alone.until_injects()

    assert process.stop(signal.SIGKILL) == -signal.SIGKILL

    pod, warning = alone.make_pod()
    assert not has_observer(pod)
    assert pod["spec"]["containers"][0]["env"] == POD["spec"]["containers"][0]["env"]
    assert warning == ""


def test_reviews_are_answered_for_a_while_after_the_end_was_announced(alone: Surroundings, tmp_path: Path) -> None:
    process = InjectorProcess(alone, tmp_path, drain=6).until_ready()
    alone.until_injects()

    process.process.send_signal(signal.SIGTERM)

    eventually(lambda: process.probe("/readyz"), (503, "stopping").__eq__, every=0.05)
    assert alone.injects()
    assert wait_for_exit(process.process) == 0


def test_two_replicas_share_a_certificate_which_is_renewed_while_pods_are_made(
    alone: Surroundings, tmp_path: Path
) -> None:
    due = issue(["127.0.0.1"], dt.datetime.now(dt.UTC) - dt.timedelta(days=61), dt.timedelta(days=90))
    alone.write_secret({"tls.crt": due.certificate, "tls.key": due.key, "ca.crt": due.authority})
    replicas = [
        InjectorProcess(alone, tmp_path, port=port, overlapSeconds=1).until_ready()
        for port in (alone.port, free_port())
    ]
    alone.until_injects()

    made = []
    while alone.secret()["tls.crt"] == due.certificate or len(made) < 10:
        made.append(alone.injects())
        assert len(made) < 10_000

    assert all(made)
    new = alone.secret()["ca.crt"]
    assert {due.authority in alone.told(), new in alone.told()} == {True}
    for replica in replicas:
        eventually(lambda replica=replica: answers(replica, new), every=0.1)
    assert [replica.stop() for replica in replicas] == [0, 0]


def answers(replica: InjectorProcess, authority: str) -> bool:
    try:
        return replica.review(b"{", authority)[0] == 400
    except OSError:
        return False
