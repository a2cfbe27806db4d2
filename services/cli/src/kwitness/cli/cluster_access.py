"""The Kubernetes cluster, reached as kubectl reaches it: by the kubeconfig, or in a pod by its service account.

The library `kubernetes` takes a third of a second to import, so it is imported when a cluster is asked.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from kwitness.cli.failure import CommandFailedError
from kwitness.cli.options import Options
from kwitness.cli.permissions import Permission, not_permitted
from kwitness.contracts.resources import KINDS
from kwitness.contracts.resources.meta import GROUP, VERSION

__all__ = ["AlreadyThereError", "ClusterAccess", "connect"]

_TIMEOUT_S: Final = (5, 30)
"""To connect, and between two bytes of an answer."""
_PLURALS: Final = {one.kind: one.plural for one in KINDS}
_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class AlreadyThereError(CommandFailedError):
    """There is an object of that name."""


class ClusterAccess:
    """Reads and writes objects.

    All methods raise `CommandFailedError` when the API server cannot be asked or does not do it, and
    `NotPermittedError` when a permission is missing.

    Parameters
    ----------
    api_client
        Of the library `kubernetes`.
    namespace
        The one that was chosen, by option or context.
    """

    def __init__(self, api_client: Any, namespace: str) -> None:
        from kubernetes import client  # noqa: PLC0415 - see the module's docstring

        self.namespace = namespace
        self._core = client.CoreV1Api(api_client)
        self._ours = client.CustomObjectsApi(api_client)

    @property
    def core(self) -> Any:
        """CoreV1Api of the library, for what is not objects: forwarded ports."""
        return self._core

    def get(self, kind: str, name: str, namespace: str | None = None) -> dict[str, Any] | None:
        """Return one of our resources as the API server has it, or None when there is none of that name."""
        where = namespace or self.namespace
        found: dict[str, Any] | None = self.ask(
            Permission("get", _resource(kind), where, name),
            lambda: self._ours.get_namespaced_custom_object(
                GROUP, VERSION, where, _PLURALS[kind], name, _request_timeout=_TIMEOUT_S
            ),
        )
        return found

    def items(self, kind: str, namespace: str | None) -> list[dict[str, Any]]:
        """Return our resources of a kind in a namespace, or with None in all of them, by namespace and name."""

        def asked() -> Any:
            if namespace is None:
                return self._ours.list_cluster_custom_object(
                    GROUP, VERSION, _PLURALS[kind], _request_timeout=_TIMEOUT_S
                )
            return self._ours.list_namespaced_custom_object(
                GROUP, VERSION, namespace, _PLURALS[kind], _request_timeout=_TIMEOUT_S
            )

        answer = self.ask(Permission("list", _resource(kind), namespace), asked)
        if answer is None:
            raise CommandFailedError(
                f"the API server knows no {_PLURALS[kind]}: kwitness is not installed in this cluster, or another "
                "context is meant (--context)"
            )
        return sorted(answer["items"], key=lambda one: (one["metadata"]["namespace"], one["metadata"]["name"]))

    def create(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Create one of our resources in the namespace that it names, and return it; the API server checks it.

        Raises
        ------
        AlreadyThereError
            There is one of that name.
        """
        kind, where = str(body["kind"]), str(body["metadata"]["namespace"])
        answer = self.ask(
            Permission("create", _resource(kind), where, str(body["metadata"]["name"])),
            lambda: self._ours.create_namespaced_custom_object(
                # What the installed release does not know would be dropped without a word.
                GROUP,
                VERSION,
                where,
                _PLURALS[kind],
                dict(body),
                field_validation="Strict",
                _request_timeout=_TIMEOUT_S,
            ),
        )
        if answer is None:
            raise CommandFailedError(f"there is no namespace {where}, or kwitness is not installed in this cluster")
        return dict(answer)

    def replace(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """Replace one of our resources as it was read; None when it is gone. One that was changed since is refused."""
        kind, metadata = str(body["kind"]), body["metadata"]
        replaced: dict[str, Any] | None = self.ask(
            Permission("update", _resource(kind), metadata["namespace"], metadata["name"]),
            lambda: self._ours.replace_namespaced_custom_object(
                GROUP,
                VERSION,
                metadata["namespace"],
                _PLURALS[kind],
                metadata["name"],
                dict(body),
                _request_timeout=_TIMEOUT_S,
            ),
        )
        return replaced

    def delete(self, kind: str, name: str, namespace: str | None = None) -> bool:
        """Delete one of our resources; return whether there was one."""
        where = namespace or self.namespace
        answer = self.ask(
            Permission("delete", _resource(kind), where, name),
            lambda: self._ours.delete_namespaced_custom_object(
                GROUP, VERSION, where, _PLURALS[kind], name, _request_timeout=_TIMEOUT_S
            ),
        )
        return answer is not None

    def config_map(self, name: str, namespace: str) -> Mapping[str, str] | None:
        """Return the entries of a ConfigMap, or None when there is none."""
        answer = self.ask(
            Permission("get", "configmaps", namespace, name),
            lambda: self._core.read_namespaced_config_map(name, namespace, _request_timeout=_TIMEOUT_S),
        )
        return None if answer is None else dict(answer.data or {})

    def token(self, account: str, namespace: str, audience: str) -> str | None:
        """Ask for a token of a service account, good for ten minutes; None when there is no such account."""
        from kubernetes import client  # noqa: PLC0415

        wanted = client.V1TokenRequestSpec(audiences=[audience], expiration_seconds=600)
        review = client.AuthenticationV1TokenRequest(spec=wanted)
        answer = self.ask(
            Permission("create", "serviceaccounts/token", namespace, account),
            lambda: self._core.create_namespaced_service_account_token(
                account, namespace, review, _request_timeout=_TIMEOUT_S
            ),
        )
        return None if answer is None else str(answer.status.token)

    def ask(self, permission: Permission, call: Callable[[], Any]) -> Any:
        """Call the library; None is what the API server does not have."""
        from kubernetes.client import ApiException  # noqa: PLC0415
        from urllib3.exceptions import HTTPError  # noqa: PLC0415

        try:
            return call()
        except ApiException as error:
            return _answered(error, permission)
        except (HTTPError, OSError) as error:
            raise CommandFailedError(
                f"the API server {self._core.api_client.configuration.host} cannot be reached ({_reason(error)}): is "
                "it the right context (--context), and does kubectl reach it?"
            ) from error


def connect(options: Options) -> ClusterAccess:
    """Read the kubeconfig; the API server is asked with the first question.

    Raises
    ------
    CommandFailedError
        There is no kubeconfig and no service account, or no such context.
    """
    from kubernetes import client  # noqa: PLC0415 - see the module's docstring

    config: Any = importlib.import_module("kubernetes.config")  # without types
    settings = client.Configuration()
    settings.retries = 1
    given = None if options.kubeconfig is None else str(options.kubeconfig)
    try:
        contexts, active = config.list_kube_config_contexts(given)
    except config.ConfigException as error:
        if given is None and (_ACCOUNT / "token").exists():
            config.load_incluster_config(client_configuration=settings)
            own = (_ACCOUNT / "namespace").read_text(encoding="utf-8").strip()
            return ClusterAccess(client.ApiClient(settings), options.namespace or own)
        raise CommandFailedError(
            f"no cluster is configured ({error}): name a kubeconfig by --kubeconfig or KUBECONFIG"
        ) from error
    chosen = active
    if options.context is not None:
        chosen = next((one for one in contexts if one["name"] == options.context), None)
    if chosen is None:
        names = ", ".join(sorted(one["name"] for one in contexts)) or "none"
        raise CommandFailedError(f"the kubeconfig has no context {options.context}: there are {names}")
    try:
        config.load_kube_config(given, context=chosen["name"], client_configuration=settings)
    except (config.ConfigException, OSError) as error:
        raise CommandFailedError(f"context {chosen['name']} of the kubeconfig cannot be used: {error}") from error
    namespace = options.namespace or (chosen.get("context") or {}).get("namespace") or "default"
    return ClusterAccess(client.ApiClient(settings), namespace)


def _answered(error: Any, permission: Permission) -> None:
    """Return None for what is not there; raise what the API server said otherwise."""
    said, reason = _said(error)
    match error.status:
        case 404:
            return
        case 401:
            raise CommandFailedError(
                "the API server does not know who asks: sign in again, or name another context (--context)"
            ) from error
        case 403 if "is forbidden: User" in said or reason == "Forbidden":
            if "cannot" not in said:
                # An admission plugin or a quota refuses; what it says is all that is known.
                raise CommandFailedError(said) from error
            raise not_permitted(permission, said) from error
        case 409 if reason == "AlreadyExists":
            raise AlreadyThereError(said) from error
        case 409:
            raise CommandFailedError(f"somebody else changed it meanwhile: run it again ({said})") from error
        case 400 if unknown := re.findall(r'unknown field "([^"]+)"', said):
            raise CommandFailedError(
                f"the release of kwitness that is installed does not know {', '.join(unknown)}: upgrade it, or leave "
                "that out"
            ) from error
        case _:
            raise CommandFailedError(said or f"the API server answered {error.status} {error.reason}") from error


def _said(error: Any) -> tuple[str, str]:
    """Message and reason of an answer of the API server."""
    try:
        status = json.loads(error.body)
    except (TypeError, ValueError):
        return str(error.body or error.reason or ""), ""
    return str(status.get("message", "")), str(status.get("reason", ""))


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", None) or error
    return str(cause).rpartition(": ")[2] or type(cause).__name__


def _resource(kind: str) -> str:
    return f"{_PLURALS[kind]}.{GROUP}"
