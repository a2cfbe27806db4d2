"""The API server's address and our place there, from a service account or a kubeconfig; sessions to it."""

from __future__ import annotations

import base64
import os
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import aiohttp
import yaml

from kwitness.runtime.memory_files import in_memory
from kwitness.runtime.reloading import ReloadingFile

__all__ = ["ApiAccess", "authorized_session", "find_access"]

_SERVICE_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


@dataclass(frozen=True, slots=True)
class ApiAccess:
    """The address of the API server, and our account there."""

    server: str
    ssl_context: ssl.SSLContext = field(repr=False)
    token_file: Path | None = None
    token: str | None = field(default=None, repr=False)
    namespace: str = "default"
    has_client_certificate: bool = False
    """Each TLS connection names the user of this certificate, also where a request has a token."""


def find_access(kubeconfig: Path | None = None) -> ApiAccess:
    """Use the kubeconfig given or in ``KUBECONFIG``, else the pod's service account, else ``~/.kube/config``.

    Raises
    ------
    OSError, ValueError
        When there is neither, or the kubeconfig has no current context.
    """
    named = str(kubeconfig) if kubeconfig else os.environ.get("KUBECONFIG")
    if named is None and (_SERVICE_ACCOUNT / "token").exists():
        host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
        return ApiAccess(
            server=f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}",
            ssl_context=ssl.create_default_context(cafile=str(_SERVICE_ACCOUNT / "ca.crt")),
            token_file=_SERVICE_ACCOUNT / "token",
            namespace=(_SERVICE_ACCOUNT / "namespace").read_text().strip(),
        )
    return _from_kubeconfig(Path(named) if named else Path.home() / ".kube" / "config")


def _from_kubeconfig(path: Path) -> ApiAccess:
    config: dict[str, Any] = yaml.safe_load(path.read_text())
    contexts = {entry["name"]: entry["context"] for entry in config.get("contexts", [])}
    context = contexts.get(config.get("current-context", ""))
    if context is None:
        raise ValueError(f"{path}: current-context names no context; set one with kubectl config use-context")
    cluster = next(entry["cluster"] for entry in config["clusters"] if entry["name"] == context["cluster"])
    user: dict[str, Any] = next(entry["user"] for entry in config["users"] if entry["name"] == context["user"])
    authority = _text(cluster, "certificate-authority")
    tls = ssl.create_default_context(cadata=authority)
    certificate, key = _text(user, "client-certificate"), _text(user, "client-key")
    if certificate is not None and key is not None:
        with in_memory(certificate) as certificate_file, in_memory(key) as key_file:
            tls.load_cert_chain(certificate_file, key_file)
    return ApiAccess(
        server=cluster["server"],
        ssl_context=tls,
        token=user.get("token"),
        token_file=Path(user["tokenFile"]) if "tokenFile" in user else None,
        namespace=context.get("namespace", "default"),
        has_client_certificate=certificate is not None and key is not None,
    )


def _text(entry: Mapping[str, Any], name: str) -> str | None:
    if f"{name}-data" in entry:
        return base64.b64decode(entry[f"{name}-data"]).decode()
    return Path(entry[name]).read_text() if name in entry else None


def authorized_session(
    access: ApiAccess, user_agent: str, answered: Callable[[aiohttp.ClientResponse], None] | None = None
) -> aiohttp.ClientSession:
    """Open a session that sends the token, which is read again when the kubelet has rotated it.

    ``answered`` is called with each answer. Whoever asked for the session closes it.
    """
    token = ReloadingFile(access.token_file, lambda raw: raw.decode().strip()) if access.token_file else None

    async def authorize(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
        bearer = token.current() if token else access.token
        if bearer:
            request.headers["Authorization"] = f"Bearer {bearer}"
        response = await handler(request)
        if answered is not None:
            answered(response)
        return response

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=access.ssl_context, limit=0),
        headers={"User-Agent": user_agent},
        middlewares=(authorize,),
    )
