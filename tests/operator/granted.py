"""What the chart lets the operator do, as objects for the users of the tests."""

from __future__ import annotations

import functools
import json
from typing import Any, Final

from kwitness.e2e import chart

__all__ = ["USERS", "granted"]

USERS: Final = ("operator", "operator-b")
"""Who operators sign in as, in place of the chart's service account."""

_PLACE: Final = "the-namespace-of-the-test"
_GROUP: Final = "rbac.authorization.k8s.io"


def granted(namespace: str, **values: Any) -> list[dict[str, Any]]:
    """Roles and bindings of an installation in a namespace that it watches alone, and where jobs may run.

    ``values`` are more of the chart's. It is rendered once for each of them, whatever the namespace.
    """
    objects: list[dict[str, Any]] = json.loads(_granted(json.dumps(values)).replace(_PLACE, namespace))
    return objects


@functools.cache
def _granted(values: str) -> str:
    of_a_test = {"watchNamespaces": [_PLACE], "analytics": {"namespaces": [_PLACE], "tableClaim": "tables"}}
    manifests = chart.render({**of_a_test, **json.loads(values)}, namespace=_PLACE)
    roles = {(one["kind"], one["metadata"]["name"]): one for one in chart.of_kind(manifests, "Role", "ClusterRole")}
    subjects = [{"kind": "User", "name": user, "apiGroup": _GROUP} for user in USERS]
    found = []
    for binding in chart.of_kind(manifests, "RoleBinding", "ClusterRoleBinding"):
        if "kwitness-operator" in {one["name"] for one in binding["subjects"]}:
            found.append(roles[binding["roleRef"]["kind"], binding["roleRef"]["name"]])
            found.append({**binding, "subjects": subjects})
    return json.dumps(found)
