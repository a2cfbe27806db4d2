"""The API server, the broker and operators of the operator's tests."""

from tests.operator.conftest import another_namespace, api, broker, clean_broker, resync_seconds  # noqa: F401
