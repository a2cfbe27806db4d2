"""``python -m kwitness.contracts.conversion < before.yaml > after.yaml``: converts manifests of v1alpha1 to v1beta1."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final, TextIO

import yaml

from kwitness.contracts.resources.meta import GROUP

from .v1alpha1 import to_v1beta1

_FORMER: Final = f"{GROUP}/v1alpha1"


def main(source: TextIO, target: TextIO) -> int:
    """Write what `source` holds to `target`: resources of v1alpha1 converted, everything else as it is.

    Comments are lost. A List, as `kubectl get --output yaml` prints it, becomes its items.
    """
    yaml.safe_dump_all(_converted(yaml.safe_load_all(source)), target, sort_keys=False, allow_unicode=True)
    return 0


def _converted(documents: Any) -> Iterator[Any]:
    for document in documents:
        if isinstance(document, Mapping) and document.get("kind") == "List":
            yield from _converted(document.get("items") or ())
        elif isinstance(document, Mapping) and document.get("apiVersion") == _FORMER:
            yield to_v1beta1(document)
        else:
            yield document


if __name__ == "__main__":
    sys.exit(main(sys.stdin, sys.stdout))
