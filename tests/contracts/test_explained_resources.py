"""`kubectl explain` alone leads to a resource of each kind that the API server accepts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import pytest

from kwitness.contracts.resources import KINDS, KindInfo
from kwitness.e2e.api_server import ApiServer
from kwitness.images.commands import CommandFailedError

from tests.eventually import eventually

_FIELD: Final = re.compile(r"^  (\w+)\t<(\S+)>(.*)$")
_ENUM: Final = re.compile(r"^ *enum: (.*?)(?:, \.+)?$", re.MULTILINE)
_ONE_OF: Final = re.compile(r"exactly one of (\w+)", re.IGNORECASE)
_EXAMPLE: Final = re.compile(r"such as `?(\S+?)`?[,.;:]?(?:\s|$)")
_REQUIRED_WITH: Final = re.compile(r"Required with (\w+) (\w+)")


@dataclass(frozen=True)
class Field:
    """A field as a person reads it."""

    type: str
    is_required: bool
    text: str


class Explained:
    """The text of `kubectl explain` below a path."""

    def __init__(self, server: ApiServer, path: str) -> None:
        self._server = server
        self._path = path
        text = server.kubectl("explain", path)
        head, _, listed = text.partition("\nFIELDS:\n")
        self.text = " ".join(head.split())
        self.fields = dict(_fields(listed))

    def below(self, name: str) -> Explained:
        return Explained(self._server, f"{self._path}.{name}")

    def resource(self) -> dict[str, Any]:
        """Return an object with what is required, by the texts alone."""
        chosen = {name for name, field in self.fields.items() if field.is_required}
        if (found := _ONE_OF.search(self.text)) and found[1] in self.fields:
            chosen.add(found[1])
        made: dict[str, Any] = {}
        for name, field in self.fields.items():
            if found := _REQUIRED_WITH.search(field.text):
                made[found[1]] = found[2]
                chosen.add(name)
        return made | {name: self._value(name, self.fields[name]) for name in sorted(chosen)}

    def _value(self, name: str, field: Field) -> Any:
        below = self.below(name)
        if field.type.endswith("Object"):
            value: Any = below.resource()
        elif found := _ENUM.search(field.text) or _EXAMPLE.search(" ".join(f"{field.text} {below.text}".split())):
            value = found[1].split(", ")[0]
        else:
            raise AssertionError(f"{self._path}.{name} is required, and its text has no example: {field.text}")
        return [value] if field.type.startswith("[]") else value


def _fields(listed: str) -> list[tuple[str, Field]]:
    found: list[tuple[str, Field]] = []
    for line in listed.splitlines():
        if match := _FIELD.match(line):
            found.append((match[1], Field(match[2], "-required-" in match[3], "")))
        elif found:
            name, field = found[-1]
            found[-1] = name, Field(field.type, field.is_required, f"{field.text}\n{line.removeprefix('  ')}")
    return found


@pytest.mark.parametrize("info", KINDS, ids=lambda info: info.kind)
def test_what_is_explained_is_a_resource_that_is_accepted(api_with_crds: ApiServer, info: KindInfo) -> None:
    path = f"{info.plural}.kwitness.dev.spec"
    # The API server publishes the schema a moment after it serves the kind.
    eventually(lambda: api_with_crds.kubectl("explain", path), passing=(CommandFailedError,))
    body = {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": info.kind,
        "metadata": {"name": "explained"},
        "spec": Explained(api_with_crds, path).resource(),
    }

    answer = api_with_crds.request(
        "POST",
        f"/apis/kwitness.dev/v1beta1/namespaces/default/{info.plural}",
        params={"dryRun": "All", "fieldValidation": "Strict"},
        json=body,
    )

    assert answer.status_code == 201, (body, answer.json()["message"])
    info.model.model_validate(answer.json())
