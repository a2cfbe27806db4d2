"""Amounts as Kubernetes writes them: the operator refuses those out of bounds, since CEL cannot."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from kwitness.contracts.resources.analytics_job import Executors
from kwitness.contracts.resources.pod_resources import PodResources
from kwitness.contracts.resources.quantities import amount_of
from kwitness.contracts.resources.telemetry_collector import Storage


@pytest.mark.parametrize(
    ("text", "amount"), [("500m", "0.5"), ("1e3", "1000"), (".5", "0.5"), ("1Pi", str(2**50)), ("2", "2"), ("1.", "1")]
)
def test_a_quantity_is_a_number_with_a_unit(text: str, amount: str) -> None:
    assert amount_of(text) == amount_of(amount)


def test_a_whole_number_becomes_its_text() -> None:
    assert PodResources.model_validate({"limits": {"cpu": 2}}).limits == {"cpu": "2"}


@pytest.mark.parametrize("memory", ["32Mi", "64Gi", 33554432])
def test_memory_within_bounds_is_accepted(memory: str | int) -> None:
    PodResources.model_validate({"limits": {"memory": memory}})


@pytest.mark.parametrize("memory", ["31Mi", "65Gi", "0", "lots"])
def test_memory_out_of_bounds_is_refused(memory: str) -> None:
    with pytest.raises(ValidationError, match=r"32Mi|is not an amount"):
        PodResources.model_validate({"limits": {"memory": memory}})


@pytest.mark.parametrize(
    ("requests", "limits"),
    [({"cpu": "2"}, {"cpu": "500m"}), ({"memory": "128Mi"}, {"memory": "64Mi"}), ({"a": 2}, {"a": 1})],
)
def test_a_request_above_its_limit_is_refused(requests: dict[str, str], limits: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match=r"requests\.\w+ \w+ must not exceed limits"):
        PodResources.model_validate({"requests": requests, "limits": limits})


@pytest.mark.parametrize("size", ["1023Ki", "0"])
def test_storage_that_holds_nothing_is_refused(size: str) -> None:
    with pytest.raises(ValidationError, match="at least 1Mi"):
        Storage.model_validate({"size": size})


@pytest.mark.parametrize("memory", ["511Mi", "513Gi"])
def test_memory_of_executors_out_of_bounds_is_refused(memory: str) -> None:
    with pytest.raises(ValidationError, match="from 512Mi to 512Gi"):
        Executors.model_validate({"memory": memory})
