"""Reads and writes the objects of an API server over the connection that its tests keep.

For what a test does as administrator: a process of kubectl costs a hundred times as much processor time as a request.
What a person types is tried with kubectl itself. Kinds are named as there: `kfc`, `sts`, `events.events.k8s.io`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import requests

_DISCOVERY: Final = {"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
_PATCHES: Final = {
    "apply": "application/apply-patch+yaml",
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}


class ApiRefusedError(RuntimeError):
    """The API server did not do what a request asks; request and answer are in the message."""

    def __init__(self, answer: requests.Response) -> None:
        self.code = answer.status_code
        try:
            status = answer.json()
            said = f"{status['reason']}: {status['message']}"
        except (KeyError, ValueError):
            said = answer.text
        super().__init__(f"{answer.request.method} {answer.request.path_url}: {self.code} {said}")


@dataclass(frozen=True, slots=True)
class _Type:
    """A type of object, as the API server describes it."""

    root: str
    plural: str
    namespaced: bool

    def path(self, namespace: str | None, name: str | None) -> str:
        if self.namespaced and namespace is None and name is not None:
            raise ValueError(f"{self.plural} {name}: name its namespace")
        place = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{self.root}{place}/{self.plural}" + (f"/{name}" if name else "")


class ApiObjects:
    """Objects of an API server, as JSON.

    Parameters
    ----------
    request
        Asks the API server: method, path, and options of `requests`.
    field_manager
        Owns the fields that `apply` writes.
    """

    def __init__(self, request: Callable[..., requests.Response], *, field_manager: str = "tests") -> None:
        self._request = request
        self._field_manager = field_manager
        self._types: dict[str, _Type] = {}

    def get(self, kind: str, name: str, namespace: str | None = None) -> dict[str, Any]:
        """Return an object.

        Raises
        ------
        ApiRefusedError
            There is none, or the API server refuses; so do all methods.
        """
        found: dict[str, Any] = self.ask("GET", self._path(kind, namespace, name))
        return found

    def find(self, kind: str, name: str, namespace: str | None = None) -> dict[str, Any] | None:
        """Return an object, or None where there is none."""
        try:
            return self.get(kind, name, namespace)
        except ApiRefusedError as error:
            if error.code != requests.codes.not_found:
                raise
            return None

    def items(self, kinds: str, namespace: str | None = None, selector: str = "") -> list[dict[str, Any]]:
        """Return the objects of a kind, or of several with commas between, of a namespace or of all.

        `selector` is one of labels.
        """
        labels = {"labelSelector": selector} if selector else {}
        found = []
        for kind in kinds.split(","):
            answer = self.ask("GET", self._path(kind, namespace), params=labels)
            # Built-in kinds are named by the list alone.
            named = {"apiVersion": answer["apiVersion"], "kind": answer["kind"].removesuffix("List")}
            found += [{**named, **item} for item in answer["items"]]
        return found

    def names(self, kinds: str, namespace: str | None = None) -> list[str]:
        """Return their names."""
        return [item["metadata"]["name"] for item in self.items(kinds, namespace)]

    def apply(self, *objects: Mapping[str, Any], namespace: str | None = None) -> None:
        """Make objects as they are here, on the server's side; another field manager's fields are taken over.

        `namespace` is that of objects which name none.
        """
        for body in objects:
            metadata = body["metadata"]
            path = self._path_of(body).path(metadata.get("namespace", namespace), metadata["name"])
            manager = self._field_manager
            self._patch(path, body, "apply", fieldManager=manager, force="true", fieldValidation="Strict")

    def replace(self, body: Mapping[str, Any]) -> None:
        """Write an object that was read and changed."""
        metadata = body["metadata"]
        self.ask("PUT", self._path_of(body).path(metadata.get("namespace"), metadata["name"]), json=body)

    def patch(
        self,
        kind: str,
        name: str,
        namespace: str | None,
        change: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        how: Literal["json", "merge", "strategic"] = "merge",
        subresource: str = "",
    ) -> None:
        """Change fields of an object, or those of a subresource such as `status`."""
        self._patch(self._path(kind, namespace, name) + f"/{subresource}".rstrip("/"), change, how)

    def annotate(self, kind: str, name: str, namespace: str | None, annotations: Mapping[str, str | None]) -> None:
        """Write annotations; those that are None are removed."""
        self.patch(kind, name, namespace, {"metadata": {"annotations": annotations}})

    def label(self, kind: str, name: str, namespace: str | None, labels: Mapping[str, str | None]) -> None:
        """Write labels; those that are None are removed."""
        self.patch(kind, name, namespace, {"metadata": {"labels": labels}})

    def delete(self, kind: str, *names: str, namespace: str | None = None) -> None:
        """Delete objects at once, and what they own in the background; waits for no finalizer."""
        for name in names:
            options = {"propagationPolicy": "Background", "gracePeriodSeconds": 0}
            self.ask("DELETE", self._path(kind, namespace, name), json=options)

    def _patch(self, path: str, change: Any, how: str, **parameters: str) -> None:
        headers = {"Content-Type": _PATCHES[how]}
        self.ask("PATCH", path, data=json.dumps(change), headers=headers, params=parameters)

    def ask(self, method: str, path: str, **options: Any) -> Any:
        """Return the parsed answer to a request; `options` are those of `requests`."""
        answer = self._request(method, path, **options)
        if not answer.ok:
            raise ApiRefusedError(answer)
        return answer.json()

    def _path(self, kind: str, namespace: str | None, name: str | None = None) -> str:
        return self._type(kind.lower()).path(namespace, name)

    def _path_of(self, body: Mapping[str, Any]) -> _Type:
        group, _, version = body["apiVersion"].rpartition("/")
        return self._type(f"{body['kind'].lower()}.{version}.{group}")

    def _type(self, word: str) -> _Type:
        if word not in self._types:
            self._types = self._discover()
        if word not in self._types:
            raise LookupError(f"the API server has no kind {word}")
        return self._types[word]

    def _discover(self) -> dict[str, _Type]:
        """Return types by every word for them; of two with one word the API server's first."""
        types: dict[str, _Type] = {}
        for root in ("/api", "/apis"):
            for group in self.ask("GET", root, headers=_DISCOVERY)["items"]:
                name = group["metadata"].get("name", "")
                for version in group["versions"]:
                    path = "/".join(part for part in (root, name, version["version"]) if part)
                    for resource in version["resources"]:
                        found = _Type(path, resource["resource"], resource["scope"] == "Namespaced")
                        kind = resource["responseKind"]["kind"].lower()
                        types.setdefault(f"{kind}.{version['version']}.{name}", found)
                        for word in (found.plural, resource["singularResource"], kind, *resource.get("shortNames", ())):
                            types.setdefault(word, found)
                            types.setdefault(f"{word}.{name}", found)
        return types
