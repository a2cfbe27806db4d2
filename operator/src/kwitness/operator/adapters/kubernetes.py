"""The API server, in the few ways the operator uses it: read by name, list our kinds, apply, patch status, delete.

Objects are only ever applied (server-side apply), never created by POST: such a create is authorised with the object's
name, so a Role can name what the operator may make.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, Literal

import aiohttp

from kwitness.operator import metrics
from kwitness.operator.adapters.applied_objects import AppliedObjects
from kwitness.operator.adapters.resource_types import TYPES
from kwitness.operator.model.errors import (
    KubernetesUnavailableError,
    NotServedError,
    OperatorError,
    TerminalError,
    TransientError,
)
from kwitness.operator.model.fingerprints import fingerprint
from kwitness.operator.model.ownership import APPLIED_HASH, belongs_to, covers
from kwitness.operator.model.store import Key

__all__ = ["FIELD_MANAGER", "Kubernetes"]

FIELD_MANAGER: Final = "kwitness-operator"

_TIMEOUT: Final = aiohttp.ClientTimeout(total=20)
"""Seconds; the API server itself gives up after 60, but a reconcile should be tried again before that."""

_DETAIL_LENGTH: Final = 1000

_TABLE: Final = "application/json;as=Table;g=meta.k8s.io;v=v1"
_METADATA: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

_VERBS: Final = {
    "LIST": "list",
    "GET": "get",
    "PATCH": "create and patch",
    "POST": "create tokens of",
    "DELETE": "delete",
}

Object = dict[str, Any]

_log = logging.getLogger(__name__)


class Kubernetes:
    """The adapter.

    Raises, in every method, `KubernetesUnavailableError`, `TransientError` with reason KubernetesForbidden for a
    missing right (Roles are not watched, so it is tried again), and `TerminalError` with reason InvalidSpec for what is
    refused.
    """

    def __init__(self, session: aiohttp.ClientSession, server: str) -> None:
        self._session = session
        self._server = server
        self.applied = AppliedObjects()

    async def get(self, kind: str, namespace: str | None, name: str) -> Object | None:
        """Read one object by name; None if it is not there."""
        return await self._request("GET", kind, namespace, name)

    async def list(self, kind: str, namespace: str | None, *, labels: str | None = None) -> list[Object]:
        """All objects of one of our kinds in a namespace (or in all of them), complete or not at all."""
        # The items of a list come without their kind.
        head = {"apiVersion": TYPES[kind].api_version, "kind": kind}
        return [{**head, **item} async for item in self.objects(kind, namespace, labels=labels)]

    async def metadata(
        self, kind: str, namespace: str | None, *, labels: str | None = None, fields: str | None = None
    ) -> AsyncIterator[Object]:
        """Metadata of all objects in a namespace (or in all of them), a page of them in memory at a time."""
        async for item in self.objects(kind, namespace, labels=labels, fields=fields, accept=_METADATA):
            yield item["metadata"]

    async def objects(
        self,
        kind: str,
        namespace: str | None,
        *,
        labels: str | None = None,
        fields: str | None = None,
        accept: str | None = None,
    ) -> AsyncIterator[Object]:
        """All objects in a namespace (or in all of them) as ``accept`` has them, a page in memory at a time."""
        selectors = {"labelSelector": labels, "fieldSelector": fields}
        async for page in self._pages(kind, namespace, selectors, accept):
            # A list without any is null.
            for item in page.get("items") or []:
                yield item

    async def rows(
        self, kind: str, namespace: str | None, *, fields: str | None = None
    ) -> AsyncIterator[tuple[Object, Object]]:
        """Cells by column and metadata of all objects, as the API server prints them in a table, a page in memory."""
        selectors = {"fieldSelector": fields, "includeObject": "Metadata"}
        async for page in self._pages(kind, namespace, selectors, _TABLE):
            columns = [column["name"] for column in page["columnDefinitions"]]
            for row in page.get("rows") or []:
                yield dict(zip(columns, row["cells"], strict=True)), row["object"]["metadata"]

    async def _pages(
        self, kind: str, namespace: str | None, selectors: Mapping[str, str | None], accept: str | None
    ) -> AsyncIterator[Object]:
        chosen = {name: value for name, value in selectors.items() if value is not None}
        parameters = {"limit": "500", **chosen}
        while True:
            page = await self._request("GET", kind, namespace, None, parameters=parameters, accept=accept)
            if page is None:
                # An API server that has just started does not know our kinds yet. That is not an empty list.
                raise NotServedError(f"the API server does not serve {TYPES[kind].plural}")
            yield page
            token = page.get("metadata", {}).get("continue")
            if not token:
                return
            parameters = {"limit": "500", "continue": token, **chosen}

    async def apply(self, desired: Object) -> Literal["unchanged", "written", "repaired"]:
        """Make ``desired`` so, unless it is already; tell what was needed.

        Fields that ``desired`` does not name are left to others. ``repaired`` means that someone else had changed a
        field of ours since we last wrote the same. What an admission policy makes of ``desired`` counts as ``desired``
        once it was written by this process.

        Raises
        ------
        TransientError
            Conflict: an object of a child's name is there and is somebody else's. It would be deleted with our resource
            if it were taken over. Nobody watches it, so it is looked at again.
        """
        metadata = desired["metadata"]
        digest = fingerprint(desired)
        wanted = {
            **desired,
            "metadata": {**metadata, "annotations": {**metadata.get("annotations", {}), APPLIED_HASH: digest}},
        }
        present = await self.get(desired["kind"], metadata["namespace"], metadata["name"])
        for owner in metadata.get("ownerReferences", ()):
            if present is not None and not belongs_to(present, owner):
                raise TransientError(
                    "Conflict",
                    f"{desired['kind']} {metadata['name']} is there already and does not belong to this resource, so it"
                    " is left alone: remove it if nobody needs it, or give this resource another name",
                )
        # The hash tells of fields that we no longer want; the comparison of those that others changed.
        made = self.applied.granted(digest, wanted)
        if present is not None and (covers(present, wanted) or covers(present, made)):
            return "unchanged"
        written = await self._request(
            "PATCH",
            desired["kind"],
            metadata["namespace"],
            metadata["name"],
            parameters={"fieldManager": FIELD_MANAGER, "force": "true"},
            content_type="application/apply-patch+yaml",
            body=wanted,
        )
        if written is None:
            raise TerminalError(
                "Unsupported", f"the API server has no kind {desired['kind']}: install it, or do not ask for it"
            )
        self.applied.wrote(digest, wanted, written)
        if present is not None and present["metadata"]["resourceVersion"] == written["metadata"]["resourceVersion"]:
            return "unchanged"
        known = present is not None and present["metadata"].get("annotations", {}).get(APPLIED_HASH) == digest
        return "repaired" if known else "written"

    async def exchange(self, kind: str, at: Key, content: Object, *, version: str | None) -> None:
        """Let an object have ``content``, fields beside its metadata, if it is still of resource version ``version``.

        None: if it does not exist, or has none of these fields, as when another operator has made it a moment ago.

        Raises
        ------
        KubernetesUnavailableError
            Also where it is not so any more: what is there now has to be read first.
        """
        changed = f"{kind} {at} was changed by someone else just now; it is looked at again"
        if version is None:
            # Fields of another manager, so that this takes nothing away from one that has data by now.
            labels = {"app.kubernetes.io/part-of": "kwitness", "app.kubernetes.io/managed-by": "kwitness-operator"}
            made = await self._request(
                "PATCH",
                kind,
                at.namespace,
                at.name,
                parameters={"fieldManager": f"{FIELD_MANAGER}-making", "force": "true"},
                content_type="application/apply-patch+yaml",
                body={
                    "apiVersion": TYPES[kind].api_version,
                    "kind": kind,
                    "metadata": {"name": at.name, "namespace": at.namespace, "labels": labels},
                },
            )
            if made is None or any(made.get(field) for field in content):
                raise KubernetesUnavailableError(changed)
            version = str(made["metadata"]["resourceVersion"])
        written = await self._request(
            "PATCH",
            kind,
            at.namespace,
            at.name,
            parameters={"fieldManager": FIELD_MANAGER},
            content_type="application/merge-patch+json",
            body={"metadata": {"resourceVersion": version}, **content},
        )
        if written is None:
            raise KubernetesUnavailableError(changed)

    async def grow_claim(self, at: Key, size: str, *, uid: str) -> None:
        """Let the PersistentVolumeClaim with this uid, and no later one of its name, ask for ``size``.

        Raises
        ------
        TerminalError
            NotExpandable: its StorageClass, a quota or the operator's Role does not allow it.
        """
        try:
            await self._request(
                "PATCH",
                "PersistentVolumeClaim",
                at.namespace,
                at.name,
                parameters={"fieldManager": FIELD_MANAGER},
                content_type="application/merge-patch+json",
                body={"metadata": {"uid": uid}, "spec": {"resources": {"requests": {"storage": size}}}},
            )
        except OperatorError as error:
            if error.reason != "KubernetesForbidden":
                raise
            raise TerminalError("NotExpandable", f"PersistentVolumeClaim {at} may not grow to {size}") from error

    async def patch_status(self, kind: str, key: Key, patch: Object, *, version: str) -> Object | None:
        """Change a status by a merge patch; the new object, or None if it is gone.

        Raises
        ------
        KubernetesUnavailableError
            Also where the object is not the one of resource version ``version`` any more: what would be written might
            not be true of it.
        """
        return await self._request(
            "PATCH",
            kind,
            key.namespace,
            key.name,
            subresource="status",
            parameters={"fieldManager": FIELD_MANAGER},
            content_type="application/merge-patch+json",
            body={"metadata": {"resourceVersion": version}, "status": patch},
        )

    async def request_token(self, namespace: str, service_account: str, audience: str, seconds: int) -> str:
        """Ask for a token of a service account, for one audience and ``seconds`` long."""
        answer = await self._request(
            "POST",
            "ServiceAccount",
            namespace,
            service_account,
            subresource="token",
            content_type="application/json",
            body={
                "apiVersion": "authentication.k8s.io/v1",
                "kind": "TokenRequest",
                "spec": {"audiences": [audience], "expirationSeconds": seconds},
            },
        )
        if answer is None:
            raise TransientError(
                "KubernetesForbidden",
                f"there is no ServiceAccount {namespace}/{service_account} to ask a token for: the chart makes it, see"
                " the operator's setting serviceAccount",
            )
        return str(answer["status"]["token"])

    async def delete(self, kind: str, namespace: str, name: str, *, uid: str, foreground: bool = False) -> None:
        """Delete the object with this uid, and no later one of the same name; before what it owns, or after it."""
        await self._request(
            "DELETE",
            kind,
            namespace,
            name,
            content_type="application/json",
            body={
                "preconditions": {"uid": uid},
                "propagationPolicy": "Foreground" if foreground else "Background",
            },
        )
        self.applied.forget(kind, Key(namespace, name))

    async def _request(
        self,
        method: str,
        kind: str,
        namespace: str | None,
        name: str | None,
        *,
        subresource: str | None = None,
        parameters: Mapping[str, str] | None = None,
        content_type: str | None = None,
        accept: str | None = None,
        body: Object | None = None,
    ) -> Object | None:
        path = TYPES[kind].path(namespace, name) + (f"/{subresource}" if subresource else "")
        where = f"in {namespace}" if namespace else "in all namespaces"
        what = f"{kind} {namespace}/{name}" if name else f"{kind} {where}"
        if method in {"PATCH", "DELETE"}:
            metrics.API_WRITES.labels(verb=method.lower(), resource=TYPES[kind].plural).inc()
        try:
            async with self._session.request(
                method,
                self._server + path,
                params=parameters,
                data=None if body is None else json.dumps(body),
                headers={
                    **({"Content-Type": content_type} if content_type else {}),
                    **({"Accept": accept} if accept else {}),
                },
                timeout=_TIMEOUT,
            ) as response:
                if response.status < 300:  # noqa: PLR2004
                    return dict(await response.json(content_type=None))
                asked = "LIST" if method == "GET" and name is None else method
                self._raise(response.status, asked, kind, what, await response.text())
                return None
        except (aiohttp.ClientError, TimeoutError) as error:
            raise KubernetesUnavailableError(
                f"the API server did not answer {method} of {what}; it is tried again"
            ) from error

    @staticmethod
    def _raise(status: int, method: str, kind: str, what: str, detail: str) -> None:
        match status:
            case 404 | 409 if method == "DELETE" or status == 404:  # noqa: PLR2004
                return
            case 409:
                raise KubernetesUnavailableError(f"{what} was changed by someone else just now; it is looked at again")
            case 401:
                raise KubernetesUnavailableError(
                    f"the API server does not accept the operator's token for {method} of {what} (401 Unauthorized):"
                    " a token ends with its pod and its service account; if this is the operator's current pod, delete"
                    " it, and it gets another token"
                )
            case 403:
                raise TransientError(
                    "KubernetesForbidden",
                    f"the operator may not {_VERBS[method]} {TYPES[kind].plural} ({what}): check its Role, and that the"
                    " namespace is in the Helm value watchNamespaces",
                )
            case 400 | 422:
                _log.warning(
                    "The API server refused an object", extra={"object": what, "detail": detail[:_DETAIL_LENGTH]}
                )
                raise TerminalError("InvalidSpec", _refusal(kind, what, detail))
            case _:
                raise KubernetesUnavailableError(f"the API server answered {status} for {method} of {what}")


def _refusal(kind: str, what: str, detail: str) -> str:
    """Say which fields of an object were refused; the API server's own words stay in the log."""
    try:
        causes: list[dict[str, str]] = (json.loads(detail).get("details") or {}).get("causes") or []
    except ValueError:
        causes = []
    fields = ", ".join(sorted({str(cause.get("field")) for cause in causes if cause.get("field")}))
    message = f"the API server refused {what} as invalid{f' ({fields[:200]})' if fields else ''}"
    if kind == "StatefulSet" and any(cause.get("reason") == "FieldValueForbidden" for cause in causes):
        return (
            f"{message}: it has fields that cannot be changed; remove it and leave its pods running (kubectl delete"
            " statefulset with --cascade=orphan), and it is recreated around them"
        )
    return f"{message}: correct the resource"
