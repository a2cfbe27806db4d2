"""The operator speaks to the API server, to collectors and to Kafka, and to none of them by a proxy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forward_proxy import ForwardProxy
from tests.operator.surroundings import apply, cluster, subscription, until_reason

pytestmark = pytest.mark.broker


def test_an_operator_whose_environment_names_a_proxy_connects_directly(
    api, namespace, clean_broker, start_operator, tmp_path: Path
) -> None:
    apply(api, cluster("main", namespace, clean_broker.bootstrap), subscription("basic", namespace))
    with ForwardProxy(tmp_path) as proxy:
        variables = proxy.environment()
        start_operator(more=variables | {name.lower(): value for name, value in variables.items()})

        until_reason(api, "kcms", "basic", namespace, "Applied")

        assert proxy.requested == []
