"""Every pure decision of the operator, as files: see goldens/README.md."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from kwitness.contracts.resources.kafka_cluster import KafkaClusterStatus
from kwitness.operator.model.errors import TerminalError

from tests.merge_patch import on_base
from tests.operator.golden_decisions import DECISIONS
from tests.operator.golden_subscriptions import declared

GOLDENS = Path(__file__).parent / "goldens"


CASES = sorted(folder.name for folder in GOLDENS.iterdir() if folder.is_dir())


@pytest.mark.parametrize("status", [{"clusterID": "typo"}, {"brokers": {"totla": 1}}], ids=str)
def test_a_golden_refuses_a_field_that_no_status_has(status):
    with pytest.raises(AssertionError):
        declared(KafkaClusterStatus, status)


@pytest.mark.parametrize("case", CASES)
def test_the_decision_is_as_recorded(case):
    given = on_base(_written(case), _written)
    try:
        decided = _plain(DECISIONS[given.pop("decision")](given))
    except TerminalError as error:
        decided = {"refused": {"reason": error.reason, "message": error.message}}
    expected = GOLDENS / case / "output.yaml"
    if os.environ.get("KWITNESS_UPDATE_GOLDENS"):
        expected.write_text(yaml.safe_dump(decided, width=120))
    assert decided == yaml.load(expected.read_text(), yaml.CSafeLoader)


def _written(case: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.load((GOLDENS / case / "input.yaml").read_text(), yaml.CSafeLoader)
    return content


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(exclude_none=True))
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value
