"""`kwitness subscriptions` against a real API server, which has our definitions and no operator."""

from __future__ import annotations

import json
import re
import threading
from datetime import UTC, datetime, timedelta

import pytest
import yaml

from tests.cli.conftest import cluster, ready, role
from tests.eventually import eventually

pytestmark = pytest.mark.slow
PRODUCER = "org.apache.kafka.producer."
LATENCY = "org.apache.kafka.producer.request.latency."


@pytest.fixture(autouse=True)
def orders(api, namespace):
    api.objects.apply(cluster("orders", namespace))


def spec_of(api, name, namespace):
    body = api.objects.find("ClientMetricsSubscription", name, namespace)
    assert body is not None
    return body["spec"]


def test_what_is_added_is_the_resource_that_was_typed(person, api, namespace):
    line = ["subscriptions", "add", "slow-orders", "--client-id", "orders-7", "--metric", PRODUCER]
    told = person.done(*line, "--interval", "10s", "--for", "10m")

    assert spec_of(api, "slow-orders", namespace) == {
        "clusterRef": {"name": "orders"},
        "metrics": [PRODUCER],
        "interval": "10s",
        "expireAfter": "10m",
        "match": [{"selector": "clientId", "pattern": "orders-7"}],
        "suspend": False,
    }
    assert told == (
        f"subscription slow-orders was added: {PRODUCER} every 10s, and ends by itself 10m after its creation; "
        "`kwitness subscriptions describe slow-orders` says what became of it\n"
    )


def test_values_of_all_selectors_are_literal(person, api, namespace):
    selectors = {
        "--client-id": ("clientId", "a.b(c)|d", r"a\.b\(c\)\|d"),
        "--client-instance-id": ("clientInstanceId", "Hqz-6Z3hTFmR4ZT2Lq7o3Q", "Hqz-6Z3hTFmR4ZT2Lq7o3Q"),
        "--software": ("clientSoftwareName", "apache-kafka-java", "apache-kafka-java"),
        "--software-version": ("clientSoftwareVersion", "4.3.1", r"4\.3\.1"),
        "--address": ("clientSourceAddress", "10.0.0.7", r"10\.0\.0\.7"),
        "--port": ("clientSourcePort", "50123", "50123"),
    }
    typed = [word for option, (_, value, _) in selectors.items() for word in (option, value)]
    person.done("subscriptions", "add", "exact", "--metric", PRODUCER, *typed)

    match = {one["selector"]: one["pattern"] for one in spec_of(api, "exact", namespace)["match"]}
    assert match == {selector: pattern for selector, _, pattern in selectors.values()}


def test_several_values_are_any_of_them_and_patterns_are_patterns(person, api, namespace):
    common = ["--metric", PRODUCER, "--client-id", "a.1", "--client-id", "b.*"]
    person.done("subscriptions", "add", "literal", *common)
    person.done("subscriptions", "add", "pattern", *common, "--pattern")

    assert spec_of(api, "literal", namespace)["match"][0]["pattern"] == r"a\.1|b\.\*"
    assert spec_of(api, "pattern", namespace)["match"][0]["pattern"] == "(?:a.1)|(?:b.*)"


def test_the_api_server_refuses_what_it_would_refuse_from_anybody_in_its_words(person):
    add = ["subscriptions", "add", "wrong", "--metric", PRODUCER]
    look_ahead = person.types(*add, "--client-id", "(?=a)b", "--pattern")
    often = person.types(*add, "--interval", "10ms")
    name = person.types("subscriptions", "add", "Wrong", "--metric", PRODUCER)

    assert look_ahead.returncode == often.returncode == name.returncode == 1
    assert "no look-around" in look_ahead.stderr
    assert "must be a duration from 100ms to 1h" in often.stderr
    assert "RFC 1123" in name.stderr
    assert "Traceback" not in look_ahead.stderr + often.stderr + name.stderr


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--metric", PRODUCER, "--for", "30s"], "--for 30s is too short: a subscription lives a minute at least"),
        (["--metric", PRODUCER, "--for", "0s"], "--for 0s is too short"),
        (["--metric", PRODUCER, "--for", "-10m"], "it counts from now, so it cannot lie in the past"),
        (["--metric", PRODUCER, "--for", "soon"], "'soon' is not a duration"),
        (["--metric", PRODUCER, "--address", "db.example.org"], "brokers see no names"),
        (["--metric", PRODUCER, "--port", "70000"], "is no number from 1 to 65535"),
        (["--metric", PRODUCER, "--client-id", "café"], "patterns are printable ASCII"),
        ([], "name by --metric what clients shall push"),
    ],
)
def test_what_cannot_be_asked_of_any_cluster_is_wrong_use(person, typed, said):
    done = person.types("subscriptions", "add", "wrong", *typed)

    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_a_prefix_that_nobody_knows_is_added_with_a_warning(person, api, namespace):
    done = person.types("subscriptions", "add", "typo", "--metric", "org.apache.kafka.prodcer.", "--metric", "*x")
    again = person.types("subscriptions", "add", "typo", "--metric", "org.apache.kafka.prodcer.")
    everything = person.types("subscriptions", "add", "everything", "--metric", "*")

    assert done.returncode == 1  # `*x` is no prefix, as the API server says
    assert again.returncode == 0
    assert again.stderr == (
        "kwitness: no client is known to send a metric that begins with org.apache.kafka.prodcer.; "
        "the nearest that is known is org.apache.kafka.producer.\n"
    )
    assert spec_of(api, "typo", namespace)["metrics"] == ["org.apache.kafka.prodcer."]
    assert (everything.returncode, everything.stderr) == (0, "")


def test_a_second_one_of_the_same_name_is_refused_and_the_first_stays(person, api, namespace):
    person.done("subscriptions", "add", "one", "--metric", PRODUCER)
    second = person.types("subscriptions", "add", "one", "--metric", LATENCY)

    assert second.returncode == 1
    assert f"there is a subscription one in namespace {namespace} already" in second.stderr
    assert "`kwitness subscriptions delete one`" in second.stderr
    assert spec_of(api, "one", namespace)["metrics"] == [PRODUCER]


def test_a_risk_that_the_cluster_does_not_accept_is_a_warning(person, api, namespace):
    line = ["subscriptions", "add", "--metric", LATENCY, "--accept-risk"]
    held = person.types(*line, "held")
    api.objects.apply(cluster("orders", namespace, riskPolicy="Apply"))
    accepted = person.types(*line, "accepted")

    assert spec_of(api, "held", namespace)["riskPolicy"] == "Apply"
    assert (held.returncode, held.stderr) == (
        0,
        (
            "kwitness: spec.riskPolicy Apply does not count: KafkaCluster orders says Hold, and a subscription can only"
            " be stricter. Remove it, or have the owner of the KafkaCluster change it there\n"
        ),
    )
    assert (accepted.returncode, accepted.stderr) == (0, "")


def test_a_risk_that_the_cluster_which_rules_does_not_accept_is_a_warning(
    person, newcomer, api, namespace, another_namespace
):
    api.objects.apply(cluster("orders", namespace, riskPolicy="Apply"), cluster("first", another_namespace))
    (condition,) = ready("False", "AnotherRules", f"{another_namespace}/first rules")
    for name, where, rules in (("orders", namespace, "False"), ("first", another_namespace, "True")):
        status = {"clusterId": "abc", "conditions": [{**condition, "type": "Rules", "status": rules}]}
        api.objects.patch("KafkaCluster", name, where, {"status": status}, subresource="status")
    may = {"apiGroups": ["kwitness.dev"], "resources": ["*"], "verbs": ["get", "list", "create"]}
    api.objects.apply(*role("writer", namespace, may, f"{namespace}:newcomer"))

    line = ["subscriptions", "add", "--metric", LATENCY, "--accept-risk", "--namespace", namespace]
    held = person.types(*line, "held")
    unread = newcomer.types(*line, "unread")

    assert (held.returncode, unread.returncode) == (0, 0)
    assert held.stderr == (
        "kwitness: spec.riskPolicy Apply does not count: KafkaCluster first says Hold, and a subscription can only"
        " be stricter. Remove it, or have the owner of the KafkaCluster change it there\n"
    )
    assert unread.stderr.startswith(
        f"kwitness: {another_namespace}/first rules. Its riskPolicy counts too and is not known here: "
    )


def test_a_dry_run_prints_what_the_api_server_takes_and_changes_nothing(person, api, namespace):
    typed = ["subscriptions", "add", "dry", "--metric", PRODUCER, "--client-id", "a.b", "--for", "1h", "--dry-run"]
    printed = person.done(*typed)
    bad = person.types("subscriptions", "add", "Bad_Name", "--metric", PRODUCER, "--interval", "1x", "--dry-run")

    assert "dry" in api.kubectl("apply", "--dry-run=server", "-f", "-", input=printed)
    assert json.loads(person.done(*typed, "--output", "json")) == yaml.safe_load(printed)
    assert (bad.returncode, bad.stdout) == (1, "")
    assert "Bad_Name" in bad.stderr
    assert api.objects.find("ClientMetricsSubscription", "dry", namespace) is None


def test_which_cluster_is_asked_when_there_is_more_than_one_or_none(person, api, namespace):
    api.objects.apply(cluster("returns", namespace))
    unclear = person.types("subscriptions", "add", "one", "--metric", PRODUCER)
    unknown = person.types("subscriptions", "add", "one", "--metric", PRODUCER, "--cluster", "other")
    person.done("subscriptions", "add", "one", "--metric", PRODUCER, "--cluster", "returns")
    nowhere = person.types("-n", "default", "subscriptions", "add", "one", "--metric", PRODUCER)

    assert "has several KafkaClusters (orders, returns): use --cluster" in unclear.stderr
    assert f"there is no KafkaCluster other in namespace {namespace}" in unknown.stderr
    assert spec_of(api, "one", namespace)["clusterRef"] == {"name": "returns"}
    assert "there is no KafkaCluster in namespace default" in nowhere.stderr


def test_a_namespace_may_ask_a_cluster_of_another(person, api, namespace):
    person.done("-n", "default", "subscriptions", "add", namespace, "--metric", "*", "--cluster", f"{namespace}/orders")

    assert spec_of(api, namespace, "default")["clusterRef"] == {"name": "orders", "namespace": namespace}
    assert person.types("-n", "default", "subscriptions", "delete", namespace).returncode == 0


FOREIGN = [
    {"name": "kwitness.other.shop.all", "owner": "OtherInstallation", "interval": "1m", "metrics": ["*"]},
    {
        "name": "by-hand",
        "owner": "Foreign",
        "interval": "5m",
        "metrics": [LATENCY],
        "metricsLeftOut": 3,
        "match": [{"selector": "clientId", "pattern": "pay.*"}],
    },
]


@pytest.fixture
def some(person, with_status, namespace):
    """One of ours, which is applied, one that nobody has looked at, and two of others."""
    person.done("subscriptions", "add", "slow-orders", "--metric", PRODUCER, "--client-id", "orders-7", "--for", "1h")
    person.done("subscriptions", "add", "waiting", "--metric", "*", "--interval", "30s")
    end = (datetime.now(UTC) + timedelta(minutes=9, seconds=30)).strftime("%Y-%m-%dT%H:%M:%SZ")
    counts = {"asking": 4, "matching": 3, "pushing": 2, "source": "Plugin"}
    silent = [{"clientSoftwareName": "kgo", "clientSoftwareVersion": "1", "connections": 2, "reason": "Unknown"}]
    with_status(
        "ClientMetricsSubscription",
        "slow-orders",
        observedGeneration=1,
        brokerResource=f"kwitness.it.{namespace}.slow-orders",
        conditions=ready("True", "Applied", "it is on the brokers"),
        clients=counts,
        expiresAt=end,
        silentSoftware=silent,
        unsentPrefixes=["org.apache.kafka.producer.batch."],
    )
    own = {
        "name": f"kwitness.it.{namespace}.slow-orders",
        "owner": "Ours",
        "resource": {"namespace": namespace, "name": "slow-orders"},
        "interval": "5m",
    }
    elsewhere = {
        "name": "kwitness.it.pay.slow-orders",
        "owner": "Ours",
        "resource": {"namespace": "pay", "name": "slow-orders"},
        "interval": "2m",
        "metrics": [PRODUCER],
    }
    first = [*FOREIGN, own, elsewhere]
    counts = {"ours": 9, "otherInstallations": 1, "foreign": 1, "prefix": "kwitness.it."}
    with_status("KafkaCluster", "orders", subscriptions={**counts, "first": first})


def test_ours_and_those_of_others_are_listed(person, some):
    done = person.types("subscriptions", "list")
    assert person.done("subscriptions") == done.stdout
    rows = [line.split() for line in done.stdout.splitlines()]

    headings = "NAME CLUSTER OWNER INTERVAL METRICS CLIENTS READY REASON MATCHING PUSHING EXPIRES"
    assert [" ".join(row) for row in rows] == [
        headings,
        f"slow-orders orders Ours 5m {PRODUCER} clientId=orders-7 True Applied 3 2 in 9m",
        "waiting orders Ours 30s * all - - - - -",
        f"slow-orders orders Ours 2m {PRODUCER} all - - - - -",
        "kwitness.other.shop.all orders OtherInstallation 1m * all - - - - -",
        f"by-hand orders Foreign 5m {LATENCY}, and 3 more clientId=pay.* - - - - -",
    ]
    assert done.stderr.startswith("kwitness: 7 more subscriptions at the brokers of orders are not listed: no Tele")


def test_json_and_yaml_say_the_same(person, some):
    as_json = json.loads(person.done("subscriptions", "list", "-o", "json"))["items"]
    as_yaml = yaml.safe_load(person.done("--output", "yaml", "subscriptions", "list"))["items"]

    assert as_json == as_yaml
    assert [one["owner"] for one in as_json] == ["Ours", "Ours", "Ours", "OtherInstallation", "Foreign"]
    assert as_json[0]["clients"] == {"asking": 4, "matching": 3, "pushing": 2, "source": "Plugin"}
    assert as_json[-1]["match"] == [{"selector": "clientId", "pattern": "pay.*"}]
    assert "ready" not in as_json[1]


def test_a_cluster_whose_operator_said_nothing_of_others_is_named(person):
    done = person.types("subscriptions", "list")

    assert done.returncode == 0
    assert "there is no subscription in namespace" in done.stderr
    assert "what others ask at the brokers of orders is not known (yet)" in done.stderr
    assert person.done("subscriptions", "list", "-o", "json") == '{\n  "items": []\n}\n'


def test_all_namespaces_and_one_cluster(person, api, namespace, another_namespace, some):
    api.objects.apply(cluster("returns", another_namespace))
    person.done("-n", another_namespace, "subscriptions", "add", "far", "--metric", "*")
    everywhere = json.loads(person.done("subscriptions", "list", "-A", "-o", "json"))["items"]
    one = json.loads(
        person.done("subscriptions", "list", "--cluster", f"{another_namespace}/returns", "-A", "-o", "json")
    )["items"]

    assert {"far", "by-hand", "waiting"} <= {row["name"] for row in everywhere}
    assert [row["name"] for row in one] == ["far"]
    assert person.done("subscriptions", "list", "-A").startswith("NAMESPACE")


def test_describe_says_all_of_ours_and_what_is_known_of_others(person, some, namespace):
    ours = person.done("subscriptions", "describe", "slow-orders")
    waiting = person.done("subscriptions", "describe", "waiting")
    foreign = person.done("subscriptions", "describe", "by-hand")

    said = dict(re.split(r" {2,}", line, maxsplit=1) for line in ours.split("\n\n")[0].splitlines())
    assert said["At the brokers"] == f"kwitness.it.{namespace}.slow-orders"
    assert said["Ready"] == "True, Applied: it is on the brokers"
    assert said["Instances"] == "4 asking, 3 matching, 2 pushing"
    assert said["Sent by no client"].startswith("org.apache.kafka.producer.batch.")
    assert "in 9m" in said["Expires"]
    assert ours.splitlines()[-1].split() == ["-", "kgo", "1", "-", "2", "Unknown"]
    assert "the operator has not seen it" in waiting
    assert "Foreign" in foreign
    assert "and 3 more" in foreign
    assert json.loads(person.done("subscriptions", "describe", "slow-orders", "-o", "json"))["kind"] == (
        "ClientMetricsSubscription"
    )


def test_what_there_is_not_is_named_with_what_there_is(person, some):
    gone = person.types("subscriptions", "describe", "gone")

    assert gone.returncode == 1
    assert "there is no subscription gone" in gone.stderr
    assert "there are: slow-orders, slow-orders, waiting" in gone.stderr


def test_delete_removes_one_and_those_of_others_are_left_to_their_makers(person, some):
    deleted = person.types("subscriptions", "delete", "slow-orders")
    again = person.types("subscriptions", "delete", "nothing")
    foreign = person.types("subscriptions", "delete", "by-hand")

    assert deleted.returncode == 0
    assert (again.returncode, foreign.returncode) == (1, 1)
    assert "there is no subscription nothing" in again.stderr
    assert "kafka-client-metrics.sh --bootstrap-server HOST:PORT --delete --name by-hand" in foreign.stderr
    assert "not of this installation (Foreign)" in foreign.stderr


def test_delete_with_metrics_takes_these_alone(person, api, namespace):
    both = ["--metric", PRODUCER, "--metric", "org.apache.kafka.consumer."]
    person.done("subscriptions", "add", "two", *both, "--interval", "10s", "--client-id", "a")
    before = spec_of(api, "two", namespace)
    person.done("subscriptions", "delete", "two", "--metric", PRODUCER)
    after = spec_of(api, "two", namespace)
    absent = person.types("subscriptions", "delete", "two", "--metric", PRODUCER)
    last = person.types("subscriptions", "delete", "two", "--metric", "org.apache.kafka.consumer.")

    assert after == {**before, "metrics": ["org.apache.kafka.consumer."]}
    assert f"does not ask for {PRODUCER}, but for org.apache.kafka.consumer." in absent.stderr
    assert (absent.returncode, last.returncode) == (1, 2)
    assert "delete it by `kwitness subscriptions delete two`" in last.stderr
    assert spec_of(api, "two", namespace) == after


def test_wait_ends_when_the_operator_says_so(person, api, namespace, with_status):
    def operator() -> None:
        eventually(lambda: api.objects.find("ClientMetricsSubscription", "one", namespace))
        with_status(
            "ClientMetricsSubscription", "one", observedGeneration=1, conditions=ready("Unknown", "Progressing")
        )
        with_status("ClientMetricsSubscription", "one", observedGeneration=1, conditions=ready("True", "Applied"))

    thread = threading.Thread(target=operator)
    thread.start()
    told = person.done("subscriptions", "add", "one", "--metric", PRODUCER, "--wait", "-o", "json")
    thread.join()

    assert json.loads(told)["status"]["conditions"][0]["reason"] == "Applied"


def test_wait_that_ends_too_early_says_what_is_in_the_way(person, with_status):
    nobody = person.types("subscriptions", "add", "one", "--metric", PRODUCER, "--wait", "--timeout", "1")
    assert nobody.returncode == 1
    assert "was added, and is not applied after 1 s: the operator has not seen it" in nobody.stderr
