"""Helm 4 renders and installs the charts as Helm 3 does."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import pytest

from kwitness.e2e import binaries, chart
from kwitness.e2e.api_server import ApiServer
from kwitness.images.commands import run

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the package that brings Helm 4 is for amd64")


def helm_4(*arguments: str | Path) -> str:
    return run([binaries.helm_4(), *map(str, arguments)])


def test_both_render_the_same(everything: dict[str, Any]) -> None:
    with chart.values_file(everything) as file:
        arguments = ("template", "kwitness", chart.CHART, "--kube-version", chart.KUBERNETES_VERSION)
        arguments = (*arguments, "--values", file.name)

        assert helm_4(*arguments) == chart.helm(*arguments)


def test_helm_4_lints_both_charts() -> None:
    for folder in (chart.CHART, chart.DEMO_CHART):
        assert "0 chart(s) failed" in helm_4("lint", folder, "--strict", "--kube-version", chart.KUBERNETES_VERSION)


@pytest.mark.slow
def test_helm_4_upgrades_and_removes_what_helm_3_installed(empty_server: ApiServer) -> None:
    access = f"--kubeconfig={empty_server.kubeconfig}"
    at = ("--namespace", "kwitness")
    chart.helm(access, "install", "kwitness", chart.CHART, *at, "--create-namespace")
    empty_server.await_definitions()

    helm_4(access, "upgrade", "kwitness", chart.CHART, *at, "--set", "limits.minInterval=1s")
    helm_4(access, "upgrade", "kwitness", chart.CHART, *at, "--set", "limits.minInterval=2s")
    helm_4(access, "rollback", "kwitness", *at)
    helm_4(access, "uninstall", "kwitness", *at)

    assert empty_server.kubectl("get", "deployments,roles", "--namespace=kwitness", "--output=name") == ""
    assert len(empty_server.objects.items("crd")) == 7

    helm_4(access, "install", "kwitness", chart.CHART, *at)
