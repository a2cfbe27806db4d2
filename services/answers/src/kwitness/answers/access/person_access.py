"""Access to the API server with the token of a person, and with no permission of this process."""

from __future__ import annotations

from typing import Final

from kwitness.answers.access.cluster_access import ClusterAccess

__all__ = ["access_of_person"]

_SERVER: Final = ("host", "ssl_ca_cert", "verify_ssl", "tls_server_name", "assert_hostname", "proxy", "no_proxy")
"""Settings that say where the API server is and how its certificate is checked; no client certificate is among them."""


def access_of_person(access: ClusterAccess, token: str) -> ClusterAccess:
    """Return access to the same API server that signs in with ``token`` alone."""
    from kubernetes import client  # noqa: PLC0415 - see cluster_access

    settings = client.Configuration()
    settings.retries = 1
    for name in _SERVER:
        setattr(settings, name, getattr(access.api_client.configuration, name, None))
    settings.api_key = {"authorization": f"Bearer {token}"}
    return ClusterAccess(client.ApiClient(settings), access.namespace)
