"""injections.json: what the operator may write for the injector, and what both know of pods."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from kwitness.contracts.injections import (
    InjectionsFile,
    injection_hash,
    left_out_text,
    parse_left_out,
)

from tests.injector.samples import INJECTION, injection

SCHEMA = Path(__file__).resolve().parents[2] / "contracts/schemas/kwitness.injections.v1.json"
TLS = {"upstream": {"bootstrap_servers": ["kafka:9093"], "tls": {"ca_file": "/etc/kwitness/observer/upstream-ca.crt"}}}
BROKER: dict[str, Any] = {
    "variables": None,
    "intercept": "none",
    "settings": {
        "mode": "broker",
        "upstream": {"bootstrap_servers": ["127.0.0.1:19092"]},
        "listener": {"bind": "0.0.0.0", "brokers": {"0": None, "1": None}},
    },
}
INBOUND: dict[str, Any] = {
    **BROKER,
    "intercept": "inbound",
    "settings": {**BROKER["settings"], "listener": {**BROKER["settings"]["listener"], "redirected": [9092]}},
}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a gateway's settings": ({"settings": {"mode": "gateway"}}, "mode sidecar"),
    "a listener for everybody": ({"settings": {"listener": {"bind": "0.0.0.0"}}}, "bind 127.0.0.1"),
    "TLS on loopback": (
        {"settings": {"listener": {"tls": {"certificate_file": "/a", "key_file": "/b"}}}},
        "no listener.tls",
    ),
    "env without variables": ({"variables": None}, "variables"),
    "variables without env": ({"intercept": "none"}, "variables"),
    "a variable that cannot be": ({"variables": {"bootstrap_servers": ["A=B"]}}, "bootstrap_servers"),
    "TLS without authority": ({"settings": TLS}, "upstream_ca"),
    "an authority without TLS": ({"upstream_ca": "PEM"}, "upstream_ca"),
    "a collector without token": ({"token_audience": None}, "token_audience"),
    "a file elsewhere": ({"settings": {"collector": {"ca_file": "/ca.crt"}}}, "no file in /etc/kwitness/observer"),
    "a file that no annotation can be": (
        {"settings": {"collector": {"ca_file": "/etc/kwitness/observer/a_b"}}},
        "no file in /etc/kwitness/observer",
    ),
    "two files of one name": (
        {"settings": {"collector": {"ca_file": "/etc/kwitness/observer/observer.json"}}},
        "two files have one name",
    ),
    "no image": ({"observer": {"image": ""}}, "image"),
    "a volume beside a client": ({"pod_volume": "kafka-tls"}, "pod_volume"),
    "a volume beside a broker without TLS": ({**BROKER, "pod_volume": "kafka-tls"}, "pod_volume"),
    "a broker's certificate outside its volume": (
        {
            **BROKER,
            "settings": {
                **BROKER["settings"],
                "listener": {"brokers": {"0": None, "1": None}, "tls": {"certificate_file": "/a", "key_file": "/b"}},
            },
            "pod_volume": "kafka-tls",
        },
        "not in /etc/kwitness/listener",
    ),
    "a broker's variables": (
        {**BROKER, "intercept": "env", "variables": {"bootstrap_servers": ["KAFKA"]}},
        "intercept none",
    ),
    "a broker's connections redirected by its user": ({**INBOUND, "intercept": "transparent"}, "intercept none"),
    "a broker's connections from nowhere": ({**BROKER, "intercept": "inbound"}, "listener.redirected"),
    "a client's connections from outside": (
        {"intercept": "inbound", "variables": None, "settings": {"listener": {"redirected": [9092]}}},
        "goes with mode broker",
    ),
    "a broker's TLS redirected": (
        {
            **INBOUND,
            "settings": {
                **INBOUND["settings"],
                "listener": {
                    **INBOUND["settings"]["listener"],
                    "tls": {"certificate_file": "/etc/kwitness/listener/a", "key_file": "/etc/kwitness/listener/b"},
                },
            },
            "pod_volume": "kafka-tls",
        },
        "TLS does not go",
    ),
    "every pod as a broker's": ({**BROKER, "pod_selector": {"match_labels": {"app": None}}}, "pod_selector"),
    "two brokers in one pod": (
        {**BROKER, "settings": {**BROKER["settings"], "upstream": {"bootstrap_servers": ["a:1", "b:1"]}}},
        "one upstream.bootstrap_servers",
    ),
    "the root user": ({"observer": {"run_as_user": 0}}, "run_as_user"),
}


@pytest.mark.parametrize(("changes", "said"), WRONG.values(), ids=WRONG)
def test_an_injection_that_cannot_work_is_refused(changes, said) -> None:
    with pytest.raises(ValidationError, match=said):
        injection(**changes)


def test_a_broker_is_redirected_without_a_user_of_its_own() -> None:
    assert injection(**INBOUND, observer={"run_as_user": None}).redirects


def test_fields_of_a_newer_operator_are_ignored() -> None:
    text = json.dumps({"schema": "kwitness.injections/1", "injections": [{**INJECTION, "newer": 1}], "newer": 1})

    assert InjectionsFile.model_validate_json(text).injections == (injection(),)


def test_a_file_is_written_as_the_schema_has_it() -> None:
    written = InjectionsFile(injections=(injection(),)).model_dump(mode="json", by_alias=True)
    schema = json.loads(SCHEMA.read_text())

    assert set(written) == set(schema["properties"])
    assert set(written["injections"][0]) == set(schema["$defs"]["Injection"]["properties"])


def test_the_hash_tells_what_a_pod_is_given_and_not_to_whom() -> None:
    own = injection_hash(injection())
    whom = {
        "priority": 7,
        "pod_selector": {"match_labels": {"app": "x"}},
        "namespace_selector": {"match_labels": {"a": "b"}},
        "refused_in": ["shop"],
    }

    assert injection_hash(injection(**whom)) == own
    assert injection_hash(injection(settings={"upstream": {"nodes": {"1": "kafka-1:9092"}}})) == own
    for given in ({"observer": {"image": "x"}}, {"containers": ["app"]}, {"settings": {"window_ms": 20_000}}):
        assert injection_hash(injection(**given)) != own, given


def test_an_injection_is_named_after_its_resource() -> None:
    assert injection(name="audit").owner == "shop/audit"


def test_who_was_left_out_is_read_as_it_was_written() -> None:
    reasons = {"a/x": "Conflict", "b/y": "AddressNotOfCluster"}

    assert parse_left_out(left_out_text(reasons)) == reasons


def test_of_what_a_tenant_wrote_only_known_reasons_are_read() -> None:
    many = " ".join(f"a/{number}=Conflict" for number in range(1_000))

    assert parse_left_out("a/x=Conflict b/y=Nonsense =") == {"a/x": "Conflict"}
    assert len(parse_left_out(many)) == 20
