"""The Kubernetes cluster, reached as kubectl reaches it: by the kubeconfig, or in a pod by its service account.

The library `kubernetes` takes a third of a second to import, so it is imported when a cluster is asked.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from kwitness.answers.access.options import AccessOptions
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.permissions import Permission, not_permitted
from kwitness.contracts.resources.kind_names import PLURALS
from kwitness.contracts.resources.meta import API_VERSION, GROUP

__all__ = ["PAGE_ITEMS", "AlreadyThereError", "ClusterAccess", "ItemPage", "UnknownKindError", "connect"]

_TIMEOUT_S: Final = (5, 30)
"""To connect, and between two bytes of an answer."""
PAGE_ITEMS: Final = 50
"""Resources of a page; each may have 1.5 MB."""
_REFUSED: Final = 300
"""The first HTTP status that is not success; nothing is followed anywhere else."""
_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class AlreadyThereError(CommandFailedError):
    """There is an object of that name."""


class UnknownKindError(CommandFailedError):
    """The API server has no such definition."""


class ItemPage(NamedTuple):
    """Resources of a kind, and the number of those on later pages, 1 where it is not known."""

    items: list[dict[str, Any]]
    left: int


class ClusterAccess:
    """Reads and writes objects, as JSON values.

    All methods raise `CommandFailedError` when the API server cannot be asked or does not do it, and
    `NotPermittedError` when a permission is missing.

    Parameters
    ----------
    api_client
        Of the library `kubernetes`: signs in, as the kubeconfig says.
    namespace
        The one that was chosen, by option or context.
    """

    def __init__(self, api_client: Any, namespace: str) -> None:
        self.api_client = api_client
        self.namespace = namespace

    def get(self, kind: str, name: str, namespace: str | None = None) -> dict[str, Any] | None:
        """Return one of our resources as the API server has it, or None when there is none of that name."""
        where = namespace or self.namespace
        return self.request("GET", _path(kind, where, name), Permission("get", _resource(kind), where, name))

    def items(self, kind: str, namespace: str | None) -> list[dict[str, Any]]:
        """Return our resources of a kind in a namespace, or with None in all of them, by namespace and name."""
        answer = self.request("GET", _path(kind, namespace), Permission("list", _resource(kind), namespace))
        if answer is None:
            raise _unknown(kind)
        return sorted(answer["items"], key=lambda one: (one["metadata"]["namespace"], one["metadata"]["name"]))

    def pages(self, kind: str, namespace: str | None) -> Iterator[ItemPage]:
        """Yield them in pages, each read when it is requested."""
        following = ""
        while True:
            query = {"limit": str(PAGE_ITEMS), "continue": following}
            permission = Permission("list", _resource(kind), namespace)
            answer = self.request("GET", _path(kind, namespace), permission, query=query)
            if answer is None:
                raise _unknown(kind)
            metadata = answer["metadata"]
            following = metadata.get("continue") or ""
            yield ItemPage(answer["items"], int(metadata.get("remainingItemCount", 1)) if following else 0)
            if not following:
                return

    def create(self, body: Mapping[str, Any], *, dry_run: bool = False) -> dict[str, Any]:
        """Create one of our resources in the namespace that it names, and return it; the API server checks it.

        With `dry_run` that is all it does.

        Raises
        ------
        AlreadyThereError
            There is one of that name.
        """
        kind, where = str(body["kind"]), str(body["metadata"]["namespace"])
        wanted = Permission("create", _resource(kind), where, str(body["metadata"]["name"]))
        # What the installed release does not know would be dropped without a word.
        query = {"fieldValidation": "Strict"} | ({"dryRun": "All"} if dry_run else {})
        answer = self.request("POST", _path(kind, where), wanted, body, query=query)
        if answer is None:
            raise CommandFailedError(f"there is no namespace {where}, or kwitness is not installed in this cluster")
        return answer

    def replace(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        """Replace one of our resources as it was read; None when it is gone. One that was changed since is refused."""
        kind, where, name = str(body["kind"]), body["metadata"]["namespace"], body["metadata"]["name"]
        return self.request("PUT", _path(kind, where, name), Permission("update", _resource(kind), where, name), body)

    def delete(
        self,
        kind: str,
        name: str,
        namespace: str | None = None,
        *,
        only: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> bool:
        """Delete one of our resources; return whether there was one.

        Parameters
        ----------
        only
            `uid` and `resourceVersion` that it must have; one that has others is not deleted, and an error.
        dry_run
            Have the API server check it and do nothing.
        """
        where = namespace or self.namespace
        wanted = Permission("delete", _resource(kind), where, name)
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": dict(only)} if only else None
        query = {"dryRun": "All"} if dry_run else None
        return self.request("DELETE", _path(kind, where, name), wanted, options, query=query) is not None

    def config_map(self, name: str, namespace: str) -> Mapping[str, str] | None:
        """Return the entries of a ConfigMap, or None when there is none."""
        path = f"/api/v1/namespaces/{namespace}/configmaps/{name}"
        answer = self.request("GET", path, Permission("get", "configmaps", namespace, name))
        return None if answer is None else dict(answer.get("data") or {})

    def token(self, account: str, namespace: str, audience: str) -> str | None:
        """Ask for a token of a service account, good for ten minutes; None when there is no such account."""
        review = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"audiences": [audience], "expirationSeconds": 600},
        }
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
        answer = self.request("POST", path, Permission("create", "serviceaccounts/token", namespace, account), review)
        return None if answer is None else str(answer["status"]["token"])

    def request(
        self,
        method: str,
        path: str,
        permission: Permission,
        body: Mapping[str, Any] | None = None,
        *,
        query: Mapping[str, str] | None = None,
    ) -> dict[str, Any] | None:
        """Ask for any ``path``; return what the API server answers, or None when it does not have it.

        ``permission`` is what a refusal is explained by.
        """
        from urllib3.exceptions import HTTPError  # noqa: PLC0415 - the library's; see the module's docstring

        # The library's methods for core objects import the models of all of Kubernetes: half a second more.
        request = self.api_client.param_serialize(
            method,
            path,
            query_params=list((query or {}).items()),
            header_params={"Accept": "application/json", "Content-Type": "application/json"},
            body=body,
            auth_settings=["BearerToken"],
        )
        try:
            response = self.api_client.call_api(*request, _request_timeout=_TIMEOUT_S)
            content = response.read()
        except (HTTPError, OSError) as error:
            raise self._unreachable(error) from error
        return _answer(response.status, content, permission)

    def _unreachable(self, error: Exception) -> CommandFailedError:
        return CommandFailedError(
            f"the API server {self.api_client.configuration.host} cannot be reached ({_reason(error)}): is it the "
            "right context (--context), and does kubectl reach it?"
        )


def connect(options: AccessOptions) -> ClusterAccess:
    """Read the kubeconfig; the API server is asked with the first question.

    Raises
    ------
    CommandFailedError
        There is no kubeconfig and no service account, no such context, or one that impersonates.
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
        raise CommandFailedError(f"the kubeconfig has no context {options.context}: there are: {names}")
    _refuse_impersonation(config, given, chosen)
    try:
        config.load_kube_config(given, context=chosen["name"], client_configuration=settings)
    except (config.ConfigException, OSError) as error:
        raise CommandFailedError(f"context {chosen['name']} of the kubeconfig cannot be used: {error}") from error
    namespace = options.namespace or (chosen.get("context") or {}).get("namespace") or "default"
    return ClusterAccess(client.ApiClient(settings), namespace)


def _refuse_impersonation(config: Any, file: str | None, context: Mapping[str, Any]) -> None:
    """Raise where the context acts as another user: the library would send the requests without that."""
    location = file or config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION
    users = config.kube_config.KubeConfigMerger(location).config.value.get("users") or []
    name = context["context"].get("user")
    user = next((entry.value.get("user") or {} for entry in users if entry.value["name"] == name), {})
    acts_as = sorted(field for field in user if field == "as" or field.startswith("as-"))
    if acts_as:
        raise CommandFailedError(
            f"context {context['name']} impersonates: its user {name} has {', '.join(acts_as)} in the kubeconfig, "
            "which kwitness does not send: name a context whose user signs in as itself (--context), for example with "
            "a token of that account (kubectl create token)"
        )


def _answer(status: int, content: bytes, permission: Permission) -> dict[str, Any] | None:
    try:
        answer = json.loads(content)
    except ValueError:
        answer = {"message": content.decode(errors="replace").strip()}
    if status and status < _REFUSED:
        return dict(answer)
    _refused(status, str(answer.get("message", "")), str(answer.get("reason", "")), permission)
    return None


def _refused(status: int, said: str, reason: str, permission: Permission) -> None:
    """Raise what the API server said, but for what is not there."""
    match status:
        case 404:
            return
        case 401:
            raise CommandFailedError(
                "the API server does not know who asks: sign in again, or name another context (--context)"
            )
        case 403 if " cannot " in said:
            raise not_permitted(permission, said)
        case 409 if reason == "AlreadyExists":
            raise AlreadyThereError(said)
        case 409:
            raise CommandFailedError(f"somebody else changed it meanwhile: run it again ({said})")
        case 400 if unknown := re.findall(r'unknown field "([^"]+)"', said):
            raise CommandFailedError(
                f"the release of kwitness that is installed does not know {', '.join(unknown)}: upgrade it, or leave "
                "that out"
            )
        case _:
            raise CommandFailedError(said or f"the API server answered {status}")


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", None) or error
    return str(cause).rpartition(": ")[2] or type(cause).__name__


def _path(kind: str, namespace: str | None, name: str | None = None) -> str:
    where = "" if namespace is None else f"/namespaces/{quote(namespace, safe='')}"
    return f"/apis/{API_VERSION}{where}/{PLURALS[kind]}" + ("" if name is None else f"/{quote(name, safe='')}")


def _unknown(kind: str) -> UnknownKindError:
    return UnknownKindError(
        f"the API server knows no {PLURALS[kind]}: kwitness is not installed in this cluster, or another context is "
        "meant (--context)"
    )


def _resource(kind: str) -> str:
    return f"{PLURALS[kind]}.{GROUP}"
