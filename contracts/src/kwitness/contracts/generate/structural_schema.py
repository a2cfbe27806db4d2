"""From a pydantic model to a structural OpenAPI v3 schema, as a CustomResourceDefinition needs it.

Structural means: no `$ref`, no null in a union, one type per node, nothing but validation beside it
(https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema).
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema
from typing_extensions import override

__all__ = ["UnstructuralModelError", "structural_schema"]

# How JSON Schema bounds the length of each type, in one set of words.
_KEPT = (
    "type",
    "format",
    "description",
    "default",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "required",
)


class UnstructuralModelError(TypeError):
    """A model says something that a structural schema cannot; the path of the field is in the message."""


class _WithEmptyDefaults(GenerateJsonSchema):
    """Sub-objects whose fields all have defaults are marked by the default `{}`."""

    @override
    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        made = super().default_schema(schema)
        factory = schema.get("default_factory")
        if isinstance(factory, type) and issubclass(factory, BaseModel):
            return {"allOf": [made], "default": {}} if "$ref" in made else {**made, "default": {}}
        return made


def structural_schema(model: type[BaseModel], *, defaults: bool) -> dict[str, Any]:
    """Return the structural schema of `model`.

    Parameters
    ----------
    model
        The model; JSON names are its aliases.
    defaults
        Whether defaults are kept. In a status they would claim what nobody observed.

    Raises
    ------
    UnstructuralModelError
        If a field has a type that cannot be expressed, no description, or a string or list without bound.
    """
    schema = model.model_json_schema(by_alias=True, schema_generator=_WithEmptyDefaults)
    return _node(schema, schema.get("$defs", {}), defaults=defaults, path=model.__name__)


def _node(node: dict[str, Any], definitions: dict[str, Any], *, defaults: bool, path: str) -> dict[str, Any]:
    flat = _flatten(node, definitions, path)
    if "const" in flat:
        flat["enum"] = [flat.pop("const")]
    if "type" not in flat and "x-kubernetes-int-or-string" not in flat:
        raise UnstructuralModelError(f"{path}: has no single type: {sorted(flat)}")
    made = {key: flat[key] for key in _KEPT if key in flat}
    made |= {key: value for key, value in flat.items() if key.startswith("x-kubernetes-")}
    match made.get("type"):
        case "object":
            made |= _object(flat, definitions, defaults=defaults, path=path)
        case "array":
            _demand(flat, "maxItems", path)
            if defaults and "x-kubernetes-list-type" not in flat:
                raise UnstructuralModelError(
                    f"{path}: needs list_map, list_set or list_atomic, which say how it is merged"
                )
            made["items"] = _described(
                _node(flat["items"], definitions, defaults=defaults, path=f"{path}[]"), f"{path}[]"
            )
        case "integer":
            made.setdefault("format", "int64")
        case "string" if "enum" not in flat:
            _demand(flat, "maxLength", path)
    if made.get("default") == {}:
        # Rules are evaluated on the default itself, before the defaults inside it are filled in.
        inside = made.get("properties", {})
        made["default"] = {name: field["default"] for name, field in inside.items() if "default" in field}
    # A list or map that is empty by default may as well be absent, which is what CEL's has() asks.
    if not defaults or made.get("default") in (None, []) or (made.get("default") == {} and "properties" not in made):
        made.pop("default", None)
    return made


def _flatten(node: dict[str, Any], definitions: dict[str, Any], path: str) -> dict[str, Any]:
    """Return `node` with references and unions with null resolved; what stands beside them wins."""
    flat = dict(node)
    while True:
        if "$ref" in flat:
            target = definitions[flat.pop("$ref").rpartition("/")[2]]
        elif "allOf" in flat:
            (target,) = flat.pop("allOf")
        elif "anyOf" in flat:
            choices = [choice for choice in flat.pop("anyOf") if choice.get("type") != "null"]
            if len(choices) != 1:
                raise UnstructuralModelError(f"{path}: a union of {len(choices)} types is not structural")
            target = choices[0]
        else:
            return flat
        flat = {**target, **flat}


def _object(flat: dict[str, Any], definitions: dict[str, Any], *, defaults: bool, path: str) -> dict[str, Any]:
    if isinstance(flat.get("additionalProperties"), dict):
        if "maxLength" not in flat and "maxProperties" not in flat:
            raise UnstructuralModelError(f"{path}: a map needs max_length, or CEL over it costs too much")
        values = _node(flat["additionalProperties"], definitions, defaults=defaults, path=f"{path}.*")
        return {"additionalProperties": _described(values, f"{path}.*")}
    if "patternProperties" in flat:
        raise UnstructuralModelError(f"{path}: keys with a pattern are not structural: use a rule")
    properties = {}
    for name, field in flat.get("properties", {}).items():
        below = f"{path}.{name}"
        properties[name] = _described(_node(field, definitions, defaults=defaults, path=below), below)
    return {"properties": properties}


def _described(node: dict[str, Any], path: str) -> dict[str, Any]:
    if not node.get("description"):
        raise UnstructuralModelError(f"{path}: has no description, which `kubectl explain` shows")
    return node


def _demand(flat: dict[str, Any], keyword: str, path: str) -> None:
    if keyword not in flat:
        raise UnstructuralModelError(f"{path}: needs {keyword}, or CEL over it costs too much")
