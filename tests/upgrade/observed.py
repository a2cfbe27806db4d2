"""Describes what must stay at an upgrade: which objects exist, the pods that they make, and the files of these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from kwitness.operator.desired.pods import CONFIG_HASH

__all__ = ["Observed", "differences"]

_IMAGE: Final = re.compile(
    r"(?:[\w.:-]+/)*kwitness/(collector|interceptors|observer|observer-host|spark)(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?\b"
)
_UID: Final = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


class Observed(NamedTuple):
    """Uids of resources and children by kind and name; pod templates and data of children."""

    uids: Mapping[str, str]
    contents: Mapping[str, Any]

    @classmethod
    def of_objects(cls, items: list[dict[str, Any]]) -> Observed:
        """Return what is observed of resources and children."""
        uids = {_name(item): item["metadata"]["uid"] for item in items}
        contents = {_name(item): _content(item) for item in items}
        return cls(uids, {name: content for name, content in contents.items() if content is not None})


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Return the paths at which two values differ; an image of another version is the same image."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from differences(before.get(key), after.get(key), f"{path}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(old, new, f"{path}/{place}")
    elif _without_version(before) != _without_version(after):
        yield path


def _name(item: Mapping[str, Any]) -> str:
    return f"{item['kind']}/{item['metadata']['name']}"


def _content(item: dict[str, Any]) -> Any:
    """Return a pod template, without the hash of the data that are compared themselves, or data."""
    if "template" not in item.get("spec", {}):
        return item.get("data")
    template = item["spec"]["template"]
    metadata = template["metadata"]
    annotations = {name: value for name, value in metadata.get("annotations", {}).items() if name != CONFIG_HASH}
    return {**template, "metadata": {**metadata, "annotations": annotations}}


def _without_version(value: Any) -> Any:
    """Return a text with images without registry, tag and digest, and without uids, which a new API server gives."""
    return _UID.sub("UID", _IMAGE.sub(r"kwitness/\1", value)) if isinstance(value, str) else value
