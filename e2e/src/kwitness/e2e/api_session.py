"""Keeps connections to the API server of a kubeconfig, for what is asked often.

A process of kubectl takes a hundred times as much processor time as a request.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import requests
from requests.adapters import HTTPAdapter

if TYPE_CHECKING:
    from kubernetes import client

_SECONDS: Final = 60
_TRIES: Final = 4
"""Of a request whose connection is refused or was closed meanwhile."""


class ApiSession:
    """Asks with the sign-in of the kubeconfig's current context, as kubectl does.

    Parameters
    ----------
    kubeconfig
        File with address and credentials; it is read when something is asked first.
    """

    def __init__(self, kubeconfig: Path) -> None:
        self._kubeconfig = kubeconfig
        self._configuration: client.Configuration | None = None
        self._session = requests.Session()
        self._session.mount("https://", HTTPAdapter(max_retries=_TRIES))

    def request(self, method: str, path: str, **options: Any) -> requests.Response:
        """Ask the API server; `path` begins with a slash, `options` are those of `requests`."""
        settings = self._settings()
        token = settings.get_api_key_with_prefix("BearerToken", alias="authorization")
        headers = {**({"Authorization": token} if token else {}), **options.pop("headers", {})}
        trusted = settings.ssl_ca_cert or settings.verify_ssl
        return self._session.request(
            method, f"{settings.host}{path}", timeout=_SECONDS, verify=trusted, headers=headers, **options
        )

    def close(self) -> None:
        """Close its connections."""
        self._session.close()

    def _settings(self) -> client.Configuration:
        if self._configuration is None:
            from kubernetes import client, config  # noqa: PLC0415 - takes two seconds, and few runs ask an API server

            settings = client.Configuration()
            config.load_kube_config(str(self._kubeconfig), client_configuration=settings)  # type: ignore[no-untyped-call]
            if settings.cert_file and settings.key_file:
                self._session.cert = (settings.cert_file, settings.key_file)
            # As kubectl: no proxy of the environment reaches loopback.
            self._session.trust_env = not settings.host.startswith(("https://127.", "https://localhost"))
            self._configuration = settings
        return self._configuration
