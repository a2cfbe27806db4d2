"""The process that describes one Kafka cluster for the operator, when the operator ends before it."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

_CALL = pickle.dumps(("connection", ("topic",) * 100, ()))


@pytest.mark.parametrize("written", [0, 1, len(_CALL) // 2, len(_CALL) - 1])
def test_an_operator_that_ends_while_it_writes_leaves_no_traceback(written):
    helper = subprocess.run(
        [sys.executable, "-m", "kwitness.operator.adapters.kafka_helper_program"],
        input=_CALL[:written],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (helper.returncode, helper.stdout, helper.stderr) == (1, b"", b"")
