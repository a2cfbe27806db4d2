import pytest

from kwitness.subscriptions.broker_subscription import BrokerSubscription
from kwitness.subscriptions.risk import ANYBODY, SAFE_PREFIX, Plan, Software, endangered_by, plan, waiting

OLD = Software("confluent-kafka-python", "2.5.0-rdkafka-2.5.0")
K = "org.apache.kafka."


def _subscription(name: str, *metrics: str, **match: str) -> BrokerSubscription:
    return BrokerSubscription(id=name, metrics=metrics, match=tuple(sorted(match.items())))


@pytest.mark.parametrize(
    ("subscriptions", "expected"),
    [
        pytest.param([], set(), id="nothing"),
        pytest.param([_subscription("a")], set(), id="subscribes to nothing"),
        pytest.param([_subscription("a", "*")], set(), id="everything"),
        pytest.param([_subscription("a", K)], set(), id="all standard metrics"),
        pytest.param([_subscription("a", SAFE_PREFIX)], set(), id="the safe prefix"),
        pytest.param([_subscription("a", K + "producer.", K + "consumer.")], {"a"}, id="one prefix for each role"),
        pytest.param([_subscription("a", K, K + "consumer.")], {"a"}, id="the safe prefix beside another"),
        pytest.param([_subscription("a", K + "producer.request.latency.avg")], {"a"}, id="a metric only Java has"),
        pytest.param([_subscription("a", K + "consumer.")], {"a"}, id="consumer prefix aborts producers"),
        pytest.param([_subscription("a", K + "producer.")], {"a"}, id="producer prefix aborts consumers"),
        pytest.param(
            [_subscription("a", K + "consumer."), _subscription("b", K + "producer.")], {"a", "b"}, id="united"
        ),
        pytest.param([_subscription("a", K + "consumer."), _subscription("b", K)], {"a"}, id="the one that aborts"),
        pytest.param([_subscription("a", K + "consumer.fetch.manager.")], {"a"}, id="unknown consumer metrics"),
        pytest.param(
            [_subscription("a", K + "consumer.poll."), _subscription("b", "*")], set(), id="protected by everything"
        ),
        pytest.param(
            [_subscription("a", "x.", client_software_name="apache-kafka-java")], set(), id="match keeps it away"
        ),
        pytest.param([_subscription("a", "x.", client_software_version="2[.]5.*")], {"a"}, id="match on the version"),
        pytest.param([_subscription("a", "x.", client_id="b")], {"a"}, id="client id could match"),
        pytest.param(
            [_subscription("a", "x.", client_id="b"), _subscription("s", "*", client_id="c")],
            {"a"},
            id="protection of other clients does not count",
        ),
        pytest.param(
            [_subscription("a", "x.", client_id="b"), _subscription("s", "*", client_id="b")],
            set(),
            id="protection with the same selector counts",
        ),
        pytest.param(
            [
                _subscription("a", "x.", client_id="b", client_source_port="1"),
                _subscription("s", "*", client_id="b"),
            ],
            set(),
            id="protection with a wider selector counts",
        ),
        pytest.param(
            [_subscription("a", "x."), _subscription("s", "*", client_id="b")], {"a"}, id="narrow protection is none"
        ),
        pytest.param(
            [_subscription("a", "x.", client_software_name="(?!y).*")], {"a"}, id="an unreadable pattern could match"
        ),
    ],
)
def test_one_prefix_that_some_role_has_no_metric_for_is_deadly_and_only_a_star_protects(subscriptions, expected):
    assert endangered_by(subscriptions, OLD) == expected


def _plan(foreign=(), accepted=(), candidates=(), leaving=(), seen=(OLD,)):
    return plan(
        foreign=foreign,
        accepted=accepted,
        candidates=candidates,
        leaving=leaving,
        at_risk={one.id: seen for one in candidates},
        seen=seen,
    )


def test_a_dangerous_candidate_is_held():
    assert _plan(candidates=[_subscription("a", "x.")]) == Plan(frozenset({"a"}), frozenset(), {"a": (OLD,)})


def test_nothing_is_held_when_nobody_at_risk_was_seen():
    assert _plan(candidates=[_subscription("a", "x.")], seen=()).held == set()


def test_a_deadly_candidate_is_held_and_a_harmless_one_beside_it_is_applied():
    assert _plan(candidates=[_subscription("a", K + "consumer."), _subscription("b", K)]).held == {"a"}


def test_a_candidate_that_loses_its_protection_goes_with_it():
    protector = _subscription("p", "*")
    assert _plan(candidates=[_subscription("a", "x."), protector]).held == set()
    assert _plan(candidates=[_subscription("a", "x.")], leaving=[protector]) == Plan(
        frozenset({"a"}), frozenset(), {"a": (OLD,)}
    )


def test_a_candidate_protected_by_a_foreign_subscription_is_applied():
    assert _plan(foreign=[_subscription("f", "*")], candidates=[_subscription("a", "x.")]).held == set()


def test_what_its_owner_accepted_is_applied_though_dangerous():
    assert _plan(accepted=[_subscription("a", "x.")]).held == set()


def test_a_deletion_that_would_make_a_foreign_subscription_deadly_is_not_carried_out():
    found = _plan(foreign=[_subscription("f", "x.")], leaving=[_subscription("p", "*")])
    assert found.retained == {"p"}


def test_a_deletion_that_helps_nobody_is_carried_out():
    assert _plan(foreign=[_subscription("f", "x.")], leaving=[_subscription("p", "y.")]).retained == set()
    assert _plan(accepted=[_subscription("f", "x.")], leaving=[_subscription("p", "*")]).retained == set()


def test_only_what_protects_is_kept_of_what_is_to_be_deleted():
    found = _plan(foreign=[_subscription("f", "x.")], leaving=[_subscription("p", "*"), _subscription("q", K)])
    assert found.retained == {"p"}


def test_the_window_of_each_subscription_is_its_own():
    short, long = _subscription("short", "x."), _subscription("long", "x.")
    found = plan(foreign=[], accepted=[], candidates=[short, long], leaving=[], at_risk={"long": [OLD]}, seen=[OLD])
    assert found.held == {"long"}


@pytest.mark.parametrize(
    ("match", "reached"),
    [
        pytest.param({}, True, id="everybody"),
        pytest.param({"client_software_name": "librdkafka"}, True, id="a name at risk"),
        pytest.param({"client_software_name": "lib.*"}, True, id="a pattern of names"),
        pytest.param({"client_software_name": "apache-kafka-java"}, False, id="a name that is never at risk"),
        pytest.param({"client_software_version": "3[.]9[.]1"}, False, id="a version that is not of the range"),
        pytest.param({"client_software_version": "2\\.5\\.1"}, True, id="a version of the range"),
        pytest.param({"client_software_version": "3.*"}, True, id="a pattern of versions"),
        pytest.param({"client_id": "orders"}, True, id="a client id"),
    ],
)
def test_a_client_of_which_nothing_is_known_is_reached_unless_the_selector_rules_the_range_out(match, reached):
    assert endangered_by([_subscription("a", "x.", **match)], ANYBODY) == ({"a"} if reached else set())


def test_software_without_a_known_version_is_reached_by_every_version():
    narrow = _subscription("a", "x.", client_software_name="librdkafka", client_software_version="2[.]5[.].*")
    assert endangered_by([narrow], Software("librdkafka", "other")) == {"a"}
    assert endangered_by([narrow], Software("rdkafka-ruby", "other")) == set()


@pytest.mark.parametrize(
    ("standing", "changes", "expected"),
    [
        pytest.param([], {"a": ["x."]}, {"a"}, id="a new one"),
        pytest.param([], {"a": [K]}, set(), id="the safe prefix never waits"),
        pytest.param([], {"a": ["*"]}, set(), id="nor does everything"),
        pytest.param([("a", "x.")], {"a": ["x.", "y."]}, {"a"}, id="an edit of what stands"),
        pytest.param([("a", "x.")], {"a": None}, set(), id="a removal of what endangers"),
        pytest.param([("a", "x."), ("p", "*")], {"p": None}, {"p"}, id="a removal of what protects"),
        pytest.param([("a", "x."), ("p", "*")], {"p": [K]}, {"p"}, id="what protects becomes something harmless"),
        pytest.param([], {"a": ["x."], "p": ["*"]}, set(), id="with its protection"),
        pytest.param([("f", "x.")], {"a": [K]}, set(), id="beside what endangers already"),
        pytest.param([("p", "*"), ("a", "x.")], {"p": None, "a": None}, set(), id="both go"),
    ],
)
def test_without_knowledge_waits_what_could_abort_somebody(standing, changes, expected):
    targets = {name: None if metrics is None else _subscription(name, *metrics) for name, metrics in changes.items()}
    before = {name: _subscription(name, metrics) for name, metrics in standing}
    assert waiting(targets, before, accepted=()) == expected
    assert waiting(targets, before, accepted=set(changes)) == set()
