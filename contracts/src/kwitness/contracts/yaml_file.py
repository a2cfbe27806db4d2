"""Files that people write in YAML (or JSON), read into a model: what is wrong is said with line and entry."""

from __future__ import annotations

from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

__all__ = ["MAX_BYTES", "YamlFileError", "read_yaml"]

M = TypeVar("M", bound=BaseModel)

MAX_BYTES = 262_144
"""Of a file."""
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MOST_PROBLEMS = 5
_MEANINGS = {"extra_forbidden": "no such field: correct its name, or remove it", "missing": "is missing: add it"}

Path = tuple[str | int, ...]


class YamlFileError(ValueError):
    """The file cannot be used; the text says where in it, why, and how it should be."""


def read_yaml(model: type[M], text: str) -> M:
    """Return what a file says.

    Raises
    ------
    YamlFileError
        It is no YAML, names something twice or by reference, or is not what the model says.
    """
    if len(text.encode()) > MAX_BYTES:
        raise YamlFileError(f"longer than {MAX_BYTES // 1024} KiB: make it shorter")
    try:
        root = yaml.compose(text, Loader=_LOADER)
        lines: dict[Path, int] = {}
        value = None if root is None else _value(root, (), lines, set())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise YamlFileError(f"{where}{error.problem or 'no YAML'}") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, YamlFileError):
            raise
        raise YamlFileError("no YAML: a character or a value in it is not allowed") from error
    if not isinstance(value, dict):
        raise YamlFileError("not a mapping: it has to begin with the name of a field and a colon")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        told = [_told(one["loc"], _MEANINGS.get(one["type"], one["msg"]), lines) for one in found[:_MOST_PROBLEMS]]
        more = f"; and {len(found) - _MOST_PROBLEMS} more" if len(found) > _MOST_PROBLEMS else ""
        raise YamlFileError("; ".join(told) + more) from error


def _told(location: Path, message: str, lines: dict[Path, int]) -> str:
    known = next((location[:end] for end in range(len(location), -1, -1) if location[:end] in lines), ())
    line = f"line {lines[known]}, " if known in lines else ""
    parts = (f"entry {one + 1}" if isinstance(one, int) else one for one in location)
    return f"{line}{' '.join(parts)}: {message.removeprefix('Value error, ')}"


def _value(node: Any, at: Path, lines: dict[Path, int], seen: set[int]) -> Any:
    line = node.start_mark.line + 1
    if id(node) in seen:
        raise YamlFileError(f"line {line}: an anchor is used again (*name): write the value out")
    seen.add(id(node))
    lines[at] = line
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Any] = {}
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise YamlFileError(f"line {key.start_mark.line + 1}: a key that is no text")
            if key.value in mapping:
                raise YamlFileError(f"line {key.start_mark.line + 1}: {key.value} is there twice: remove one")
            mapping[key.value] = _value(child, (*at, key.value), lines, seen)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_value(child, (*at, place), lines, seen) for place, child in enumerate(node.value)]
    return yaml.constructor.SafeConstructor().construct_object(node)
