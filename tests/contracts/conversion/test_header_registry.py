"""Conversion of HeaderRegistries."""

from __future__ import annotations

from kwitness.contracts.conversion.header_registry import to_v1beta1


def test_the_spec_of_a_register_stays_and_its_status_goes() -> None:
    spec = {"keys": [{"name": "order.id", "description": "A key.", "type": "Uuid"}]}
    register = {"kind": "HeaderRegistry", "metadata": {"name": "shop"}, "spec": spec}

    assert to_v1beta1({"apiVersion": "kwitness.dev/v1alpha1", **register, "status": {"registered": 1}}) == {
        "apiVersion": "kwitness.dev/v1beta1",
        **register,
    }
