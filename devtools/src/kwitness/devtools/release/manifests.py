"""Writes what the packaged chart installs as manifests, for those who install without Helm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.devtools.release.release_chart import DEFINITIONS, PRODUCT
from kwitness.e2e import chart
from kwitness.images.commands import Progress

__all__ = ["NAMESPACE", "manifests"]

NAMESPACE: Final = "kwitness"
_NAMESPACE_MANIFEST: Final = f"""\
---
apiVersion: v1
kind: Namespace
metadata:
  name: {NAMESPACE}
  labels:
    app.kubernetes.io/part-of: kwitness
"""
_DEFINITIONS_COMMENT: Final = """\
# The custom resource definitions of kwitness {version}, equal to the chart kwitness-crds:
#
#   kubectl apply --server-side -f crds.yaml
#
# Deleting them deletes all resources of these kinds.
"""
_COMMENT: Final = f"""\
# kwitness {{version}} in the namespace {NAMESPACE}, custom resource definitions included, equal to the chart kwitness
# with {{values}}:
#
#   kubectl apply --server-side -f {{file}}
#
# {{scope}}
# Deleting the definitions deletes all resources of these kinds.
"""
_DEFAULTS: Final = ("its default values", f"The operator acts on resources in the namespace {NAMESPACE}.")
_ALL_NAMESPACES: Final = (
    'watchNamespaces: ["*"]',
    "The operator acts in every namespace: it can run pods in each, and so read its Secrets.",
)


def manifests(release: Release, progress: Progress) -> None:
    """Write `manifests/{crds,install,install-cluster}.yaml`.

    Raises
    ------
    ReleaseError
        The packaged charts are missing.
    """
    version = release.version
    texts = {"crds.yaml": _DEFINITIONS_COMMENT.format(version=version) + _rendered(release, DEFINITIONS)}
    for file, (values, scope), options in (
        ("install.yaml", _DEFAULTS, ()),
        ("install-cluster.yaml", _ALL_NAMESPACES, ("--set", "watchNamespaces={*}")),
    ):
        comment = _COMMENT.format(version=version, values=values, scope=scope, file=file)
        texts[file] = comment + _NAMESPACE_MANIFEST + _rendered(release, PRODUCT, options)
    with release.replaced_folder("manifests") as folder:
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8")
    for file in texts:
        progress(str(release.out / "manifests" / file))


def _rendered(release: Release, source: Path, options: Sequence[str] = ()) -> str:
    """Return the objects that a packaged chart installs, in Helm's order of installation, without its tests."""
    package = release.out / "charts" / f"{source.name}-{release.version}.tgz"
    if not package.is_file():
        raise ReleaseError(f"{package} is missing: run the step charts, which packs it")
    return chart.helm(
        *("template", "kwitness", package, "--namespace", NAMESPACE, "--no-hooks"),
        *("--kube-version", chart.KUBERNETES_VERSION, *options),
    )
