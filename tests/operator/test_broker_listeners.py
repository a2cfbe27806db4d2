"""What a broker's configuration says of its listeners for clients."""

from __future__ import annotations

import pytest

from kwitness.operator.model.broker_listeners import BrokerListener, listener_configs, listeners_of

CONFIGS: dict[str, str | None] = {
    "listeners": "INTERNAL://:9091, Clients://127.0.0.1:19092,MTLS://0.0.0.0:9094,SASL://[::1]:9095,CONTROLLER://:9093",
    "advertised.listeners": "INTERNAL://kafka-0:9091,CLIENTS://kafka-0.example.org:9092,MTLS://kafka-0:9094",
    "listener.security.protocol.map": "INTERNAL:SSL,CLIENTS:PLAINTEXT,MTLS:SSL,SASL:SASL_SSL,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "INTERNAL",
    "controller.listener.names": "CONTROLLER",
    "ssl.client.auth": "required",
}


def listener(name: str, **changes: str | None) -> BrokerListener:
    [found] = listeners_of(0, CONFIGS | changes, (name,))
    return found


def test_a_listener_is_bound_at_one_port_and_advertised_at_another() -> None:
    clients = listener("CLIENTS")
    assert (clients.host, clients.port) == ("127.0.0.1", 19092)
    assert (clients.advertised_host, clients.advertised_port) == ("kafka-0.example.org", 9092)
    assert (listener("SASL").host, listener("SASL").advertised_port) == ("::1", None)
    assert listener("MTLS", **{"advertised.listeners": None}).advertised_port == 9094


def test_a_listener_may_be_the_one_of_brokers_or_controllers() -> None:
    assert listener("INTERNAL").shared_with == "brokers"
    assert listener("CONTROLLER").shared_with == "controllers"
    assert listener("CLIENTS").shared_with is None
    without_name = {"inter.broker.listener.name": None, "security.inter.broker.protocol": "PLAINTEXT"}
    assert listener("PLAINTEXT", listeners="PLAINTEXT://:9092", **without_name).shared_with == "brokers"


@pytest.mark.parametrize(
    ("name", "changes", "identifies"),
    [
        ("MTLS", {}, True),
        ("SASL", {}, True),
        ("CLIENTS", {}, False),
        ("MTLS", {"listener.name.mtls.ssl.client.auth": "none"}, False),
        ("MTLS", {"ssl.client.auth": "requested"}, True),
        ("SASL", {"ssl.client.auth": "requested"}, False),
        ("MTLS", {"ssl.client.auth": None}, False),
    ],
)
def test_a_certificate_decides_where_it_is_required_or_there_is_no_other_sign_in(name, changes, identifies) -> None:
    assert listener(name, **changes).identifies_by_certificate is identifies


def test_a_limit_by_address_is_one_only_if_it_is_not_the_default() -> None:
    assert listener("CLIENTS", **{"max.connections.per.ip": "2147483647"}).connections_by_address is None
    assert listener("CLIENTS", **{"max.connections.per.ip": "10"}).connections_by_address == 10


def test_a_listener_that_the_broker_does_not_have_is_not_told() -> None:
    assert listeners_of(0, CONFIGS, ("OTHERS",)) == ()
    assert "listener.name.others.ssl.client.auth" in listener_configs(("OTHERS",))
