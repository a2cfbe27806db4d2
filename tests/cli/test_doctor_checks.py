"""What the doctor finds, fact by fact; no check is silent about what it could not look at."""

from __future__ import annotations

import copy
import itertools
from dataclasses import replace
from typing import Any

import pytest

from kwitness.answers.checks.all_checks import look_at
from kwitness.answers.checks.definitions import fields_lacking
from kwitness.answers.checks.facts import CollectorFacts, DeploymentFacts, InstallationFacts, Permission, Refused
from kwitness.answers.checks.finding import Finding
from kwitness.contracts.envelopes import ClusterState
from kwitness.contracts.generate.crds import crd
from kwitness.contracts.resources import KINDS

DEFINITIONS = {one["metadata"]["name"]: one for one in map(crd, KINDS)}
NOW_S = 1_700_000_000.0
OPERATOR = DeploymentFacts("kwitness-operator", "kwitness", "0.1.0", wanted=1, ready=1)
INJECTOR = DeploymentFacts("kwitness-injector", "kwitness", "0.1.0", wanted=2, ready=2)
MAY_LIST = Permission("list", "kafkaclusters", "kwitness.dev", None, "kwitness doctor", allowed=True)


def definitions() -> dict[str, Any]:
    made = copy.deepcopy(DEFINITIONS)
    for one in made.values():
        one["status"] = {"conditions": [{"type": "Established", "status": "True"}]}
    return made


def resource(kind: str = "KafkaCluster", name: str = "main", *, ready: str = "True", **status: Any) -> dict[str, Any]:
    word = {"True": "Connected", "False": "Unreachable", "Unknown": "Paused"}[ready]
    conditions = [{"type": "Ready", "status": ready, "reason": word, "message": "As it is."}]
    return {
        "kind": kind,
        "metadata": {"name": name, "namespace": "shop", "generation": 2},
        "status": {"observedGeneration": 2, "conditions": conditions, **status},
    }


def broker(number: int, **changes: Any) -> dict[str, Any]:
    return {"id": number, "host": "kafka", "port": 9092, "telemetry": True, "plugin": "0.1.0", **changes}


def brokers(*first: dict[str, Any], total: int | None = None, plugin: int | None = None) -> dict[str, Any]:
    """The status of a cluster with these brokers, and others behind the first ten."""
    reporting = sum(entry["plugin"] is not None for entry in first)
    return {"total": total or len(first), "plugin": reporting if plugin is None else plugin, "first": list(first)}


def state(**changes: Any) -> ClusterState:
    known = {
        "cluster_id": "one",
        "clients": 12,
        "brokers": [{"broker_id": "1", "plugin_version": "0.1.0", "last_heartbeat_ms": 1}],
        "ledger": [{"hop": "receive", "accepted": 5, "delivered": 5}],
    }
    return ClusterState.model_validate({**known, **changes})


def collector(**changes: Any) -> CollectorFacts:
    return CollectorFacts(**{"namespace": "shop", "name": "main", "version": "0.1.0", "cluster": state(), **changes})


def sound() -> InstallationFacts:
    return InstallationFacts(
        version="0.1.0",
        now_s=NOW_S,
        definitions=definitions(),
        operators=(OPERATOR,),
        injectors=(INJECTOR,),
        resources=(resource(brokers=brokers(broker(1))), resource("TelemetryCollector")),
        collectors=(collector(),),
        certificate_expiry_s=NOW_S + 30 * 86_400,
        permissions=(MAY_LIST,),
    )


def wrong(facts: InstallationFacts) -> list[Finding]:
    return [one for one in look_at(facts) if one.severity != "ok"]


def only(facts: InstallationFacts) -> Finding:
    found = wrong(facts)
    assert len(found) == 1, found
    return found[0]


def test_a_sound_installation_has_a_line_for_each_check_and_nothing_wrong() -> None:
    assert wrong(sound()) == []
    assert {one.check for one in look_at(sound())} == {
        "Definitions",
        "Operator",
        "Injector",
        "WebhookCertificate",
        "Resources",
        "Brokers",
        "Collectors",
        "Ledger",
        "Versions",
        "Permissions",
    }


def without_definition(made: dict[str, Any]) -> None:
    del made["kafkaclusters.kwitness.dev"]


def not_served(made: dict[str, Any]) -> None:
    made["kafkaclusters.kwitness.dev"]["spec"]["versions"][0]["served"] = False


def of_an_older_version(made: dict[str, Any]) -> None:
    spec = made["kafkaclusters.kwitness.dev"]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    del spec["properties"]["suspend"]
    del spec["properties"]["topics"]["properties"]["prefix"]


def not_established(made: dict[str, Any]) -> None:
    conditions = made["kafkaclusters.kwitness.dev"]["status"]["conditions"]
    conditions[0].update(status="False", message="another kind has the name")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (without_definition, "not there"),
        (not_served, "v1beta1 is not served"),
        (of_an_older_version, "it lacks spec.topics.prefix, spec.suspend, which the API server would drop"),
        (not_established, "another kind has the name"),
    ],
)
def test_a_definition_that_is_not_of_this_version_is_an_error(change: Any, message: str) -> None:
    made = definitions()
    change(made)
    found = only(replace(sound(), definitions=made))

    assert (found.check, found.severity, found.subject) == ("Definitions", "error", "kafkaclusters.kwitness.dev")
    assert message in found.message
    assert "apply the CRDs" in found.remedy


def test_a_definition_of_a_newer_version_is_a_warning() -> None:
    made = definitions()
    schema = made["kafkaclusters.kwitness.dev"]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["properties"]["tomorrow"] = {"type": "string"}
    found = only(replace(sound(), definitions=made))

    assert found.severity == "warning"
    assert "newer version than this command: it has spec.tomorrow" in found.message


def test_fields_of_items_and_of_values_are_compared_as_well() -> None:
    wanted = {"properties": {"a": {"items": {"properties": {"b": {}, "c": {}}}}}}
    there = {"properties": {"a": {"items": {"properties": {"b": {}}}}}}

    assert list(fields_lacking(wanted, there)) == ["a[].c"]
    assert list(fields_lacking(there, wanted)) == []
    assert list(fields_lacking(wanted, {})) == ["a"]


@pytest.mark.parametrize(
    ("changes", "severity", "message"),
    [
        ({"operators": ()}, "error", "there is none where you may look"),
        ({"operators": None}, "warning", "you may not list Deployments"),
        (
            {"operators": (replace(OPERATOR, ready=0, message="no node"),)},
            "error",
            "0 of 1 replicas are ready: no node",
        ),
        (
            {"operators": (OPERATOR, replace(OPERATOR, namespace="b"))},
            "warning",
            "several, in the namespaces b, kw",
        ),
        ({"injectors": (replace(INJECTOR, ready=1),)}, "warning", "1 of 2 replicas are ready"),
        ({"injectors": (replace(INJECTOR, ready=0),)}, "error", "0 of 2 replicas are ready"),
        ({"certificate_expiry_s": None}, "warning", "when its certificate ends is not known"),
        ({"certificate_expiry_s": NOW_S + 3 * 86_400}, "warning", "ends in 3 days"),
        ({"certificate_expiry_s": NOW_S - 1}, "error", "its certificate has ended"),
        ({"definitions": None}, "warning", "you may not read them"),
        ({"collectors": (collector(suspended=True),)}, "warning", "it is suspended"),
        ({"collectors": (collector(cluster=state(missing=[1, 2])),)}, "error", "the replicas 1, 2 do not answer"),
        ({"collectors": (collector(cluster=None, failure="refused"),)}, "error", "it does not answer: refused"),
        ({"collectors": (collector(version="0.0.9"),)}, "warning", "version 0.0.9, where the installation is of 0.1.0"),
        ({"version": "0.2.0"}, "warning", "version 0.2.0, where the installation is of 0.1.0"),
        (
            {"permissions": (replace(MAY_LIST, allowed=False),)},
            "warning",
            "you may not list kafkaclusters.kwitness.dev",
        ),
        ({"refused": (Refused("Deployments", "forbidden"),)}, "warning", "it could not be looked at: forbidden"),
    ],
)
def test_each_fact_that_is_wrong_is_found_once_with_a_remedy(
    changes: dict[str, Any], severity: str, message: str
) -> None:
    found = only(replace(sound(), **changes))

    assert found.severity == severity
    assert message in found.message
    assert found.remedy


def test_an_operator_that_is_scaled_to_nothing_is_an_error() -> None:
    found = only(replace(sound(), operators=(replace(OPERATOR, wanted=0, ready=0),)))

    assert found.severity == "error"
    assert found.remedy == "kubectl scale -n kwitness deployment/kwitness-operator --replicas=1"


def test_without_an_injector_nothing_is_said_of_it() -> None:
    facts = replace(sound(), injectors=(), certificate_expiry_s=None)

    assert wrong(facts) == []
    assert not {"Injector", "WebhookCertificate"} & {one.check for one in look_at(facts)}


@pytest.mark.parametrize(
    ("changed", "check", "severity", "message"),
    [
        (resource(ready="False"), "Resources", "error", "Ready is False (Unreachable): As it is."),
        (resource(ready="Unknown"), "Resources", "warning", "Ready is Unknown (Paused)"),
        ({**resource(), "status": {}}, "Resources", "error", "the operator has written no status"),
        (resource(observedGeneration=1), "Resources", "warning", "its status is of generation 1"),
        (
            resource(warnings=[{"type": "GaugeTruncated", "message": "Two."}]),
            "Resources",
            "warning",
            "GaugeTruncated: Two.",
        ),
        (resource(warnings=[{"type": "TopicDiffers", "message": "Six."}]), "Topics", "warning", "Six."),
        (
            resource(brokers=brokers(broker(1), broker(2, telemetry=False))),
            "Brokers",
            "warning",
            "brokers 2 do not answer",
        ),
        (resource(brokers=brokers(broker(1, plugin=None))), "Brokers", "warning", "of brokers 1 no plugin of kwitness"),
        (
            resource(brokers=brokers(broker(1), total=12, plugin=9)),
            "Brokers",
            "warning",
            "3 more brokers of 12 reported no plugin",
        ),
    ],
)
def test_each_resource_that_is_not_as_it_should_be_is_named(
    changed: dict[str, Any], check: str, severity: str, message: str
) -> None:
    found = only(replace(sound(), resources=(changed,)))

    assert (found.check, found.severity, found.subject) == (check, severity, "KafkaCluster shop/main")
    assert message in found.message
    assert found.remedy


def test_what_an_analysis_found_about_clients_is_nothing_wrong_with_the_installation() -> None:
    job = resource("AnalyticsJob", "unused")
    job["status"]["conditions"].append(
        {"type": "NoFindings", "status": "False", "reason": "FindingsPresent", "message": "3 topics"}
    )

    assert wrong(replace(sound(), resources=(resource(brokers=brokers(broker(1))), job))) == []


def test_a_cluster_out_of_reach_is_named_once() -> None:
    away = resource(ready="False")
    away["status"]["conditions"].extend(
        {"type": about, "status": "Unknown", "reason": "NotReached", "message": "See Ready."}
        for about in ("TopicsReady", "TelemetryCapable", "SubscriptionsPossible")
    )

    assert only(replace(sound(), resources=(away,))).message.startswith("Ready is False")


def test_a_condition_beside_ready_is_a_warning_with_the_remedy_of_its_reason() -> None:
    changed = resource("TelemetryCollector")
    changed["status"]["conditions"].append(
        {"type": "Accepting", "status": "False", "reason": "NoSenders", "message": "Every push is refused."}
    )
    found = only(replace(sound(), resources=(resource(), changed)))

    assert found.severity == "warning"
    assert found.remedy == "Name the brokers' service account in spec.ingest.senders."


def test_a_message_with_a_remedy_is_shown_without_a_second_one() -> None:
    message = "every push is refused: name the brokers' service account in spec.ingest.senders"
    changed = resource("TelemetryCollector")
    changed["status"]["conditions"].append(
        {"type": "Accepting", "status": "False", "reason": "NoSenders", "message": message}
    )
    warned = resource(warnings=[{"type": "GaugeTruncated", "message": "counts are incomplete: raise the bound"}])
    found = wrong(replace(sound(), resources=(warned, changed)))

    assert [finding.remedy for finding in found if "Gauge" in finding.message or "push" in finding.message] == ["", ""]


def test_a_defect_that_every_tested_broker_has_is_a_note() -> None:
    defects = [{"type": "KnownDefects", "message": "Kafka 4.3.1 has defects."}]
    found = only(replace(sound(), resources=(resource(brokers=brokers(broker(1)), warnings=defects),)))

    assert (found.severity, found.message) == ("note", "KnownDefects: Kafka 4.3.1 has defects.")
    assert "no tested release" in found.remedy


def test_nothing_applied_yet_says_what_to_begin_with() -> None:
    found = only(replace(sound(), resources=(), collectors=()))

    assert found.subject == "KafkaCluster"
    assert "there is none where you may look" in found.message


def test_every_hop_that_dropped_something_is_named_and_a_collectors_own_answer_comes_before_its_status() -> None:
    answered = ClusterState.model_validate(
        {
            "cluster_id": "one",
            "overflowed": 4,
            "brokers": [{"broker_id": "1", "last_heartbeat_ms": 1, "ledger": {"dropped": {"queue_full": 2}}}],
            "ledger": [{"hop": "topic", "dropped": {"returned": 3, "malformed": 1, "never": 0}}],
        }
    )
    ledger = [{"hop": "topic", "dropped": {"old": 99}}]
    resources = (
        resource(brokers=brokers(broker(1))),
        resource("TelemetryCollector", ledger=ledger),
        resource("AnalyticsJob", "unused", analyses=[{"ledger": [{"hop": "table", "dropped": {"quarantined": 7}}]}]),
    )
    found = wrong(replace(sound(), resources=resources, collectors=(collector(cluster=answered),)))

    assert [(one.check, one.severity) for one in found] == [("Ledger", "warning")] * 4
    assert [one.message for one in found] == [
        "4 events were dropped at topic: 1 by malformed, 3 by returned",
        "2 events were dropped at plugin: 2 by queue_full",
        "4 series did not fit and are summed as `other`",
        "7 events were dropped at table: 7 by quarantined",
    ]


def test_a_pod_names_once_all_that_it_may_not_read_and_compares_no_version_of_its_own() -> None:
    of_a_pod = replace(sound(), version=None, definitions=None, operators=None, injectors=None, by_person=False)
    refused = (Refused("TelemetryCollector kafka/other", "forbidden"),)

    found = only(replace(of_a_pod, refused=refused))
    assert (found.check, found.severity) == ("Looking", "note")
    assert "TelemetryCollector kafka/other" in found.message


def test_versions_of_everything_that_reports_are_compared() -> None:
    answered = ClusterState.model_validate(
        {
            "cluster_id": "one",
            "brokers": [
                {"broker_id": str(number), "plugin_version": "0.0.8", "last_heartbeat_ms": 1} for number in range(7)
            ],
        }
    )
    found = only(replace(sound(), collectors=(collector(cluster=answered),)))

    assert found.subject.startswith("plugin of broker 0, plugin of broker 1, ")
    assert found.subject.endswith("plugin of broker 4 and 2 more")


def test_everything_may_be_wrong_at_once() -> None:
    """Whatever is known and not known, no check fails."""
    choices: list[list[Any]] = [
        [None, {}, definitions()],
        [None, (), (OPERATOR,)],
        [None, (), (INJECTOR,)],
        [(), ({"kind": "KafkaCluster"},), ({"kind": "AnalyticsJob", "metadata": {}, "status": {"conditions": [{}]}},)],
        [(), (collector(cluster=None),)],
    ]
    for made, operators, injectors, resources, collectors in itertools.product(*choices):
        look_at(
            InstallationFacts(
                "0.1.0",
                NOW_S,
                definitions=made,
                operators=operators,
                injectors=injectors,
                resources=resources,
                collectors=collectors,
            )
        )
