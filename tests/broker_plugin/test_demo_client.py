"""The Java demo client says what is wrong with its environment and ends."""

from __future__ import annotations

import os

import pytest

from kwitness.demo.java_client import demo_client_classpath
from kwitness.sandbox.waiting import run_to_end


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        ([], {}, "usage: DemoClient producer|consumer"),
        (["watcher"], {}, "usage: DemoClient producer|consumer"),
        (["producer"], {}, "BOOTSTRAP_SERVERS is not set"),
        (["producer"], {"BOOTSTRAP_SERVERS": "x:1", "RATE_PER_SECOND": "many"}, "RATE_PER_SECOND=many is not a number"),
        (["producer"], {"BOOTSTRAP_SERVERS": "x:1", "RATE_PER_SECOND": "0"}, "must be above 0"),
    ],
)
def test_a_wrong_environment_is_named(arguments, environment, message):
    command = ["java", "-Xmx64m", "-cp", demo_client_classpath(), "dev.kwitness.demo.DemoClient", *arguments]
    variables = {"PATH": os.environ["PATH"], **environment}
    done = run_to_end(command, env=variables)
    assert done.returncode == 2
    assert message in done.stderr
