"""Conversion of `spec.identity`."""

from __future__ import annotations

from typing import get_args

from kwitness.contracts.conversion.identity import identity_to_v1beta1
from kwitness.contracts.resources.privacy import TelemetryIdentity

_FIELDS = (
    *("principal", "clientId", "clientInstanceId", "clientAddress", "clientSourcePort", "clientRack", "groupId"),
    *("groupInstanceId", "groupMemberId", "transactionalId", "applicationId", "k8sNamespace", "k8sWorkload", "k8sPod"),
)


def test_each_field_becomes_a_key_that_the_schema_has() -> None:
    converted = identity_to_v1beta1(dict.fromkeys(_FIELDS, "Drop"))

    assert {entry["key"] for entry in converted} == {*get_args(TelemetryIdentity.model_fields["key"].annotation)}


def test_treatments_stay_and_what_is_kept_is_left_out() -> None:
    assert identity_to_v1beta1({"clientId": "Hash", "principal": "Keep", "k8sPod": "Drop"}) == [
        {"key": "client_id", "treatment": "Hash"},
        {"key": "k8s_pod", "treatment": "Drop"},
    ]
