"""Deletions between the first lists and the beginning of watches are noticed at once, not at the resync."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kwitness.operator import process
from kwitness.operator.context import Context
from kwitness.operator.handlers.lists import fill_store

from tests.eventually import eventually_beside
from tests.operator.in_process import settings_of
from tests.operator.surroundings import apply, cluster


def _register(name: str, namespace: str) -> dict[str, object]:
    key = {"name": "tenant", "description": "Whose record it is.", "type": "String"}
    return {
        "apiVersion": "kwitness.dev/v1beta1",
        "kind": "HeaderRegistry",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"keys": [key]},
    }


async def test_a_deletion_between_lists_and_watches_is_noticed(
    api, namespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(api, cluster("silent", namespace, "127.0.0.1:1"), _register("a", namespace), _register("b", namespace))

    async def filled_then_deleted(context: Context) -> None:
        await fill_store(context)
        await asyncio.to_thread(api.objects.delete, "headerregistries", "a", namespace=namespace)

    monkeypatch.setattr(process, "fill_store", filled_then_deleted)
    monkeypatch.setenv("KUBECONFIG", str(api.kubeconfig_of("operator")))
    stop = asyncio.Event()
    settings = settings_of(namespace, tmp_path, resync_seconds=600, probe_port=0)
    running = asyncio.create_task(process.run(settings, stop))

    def ready() -> str:
        status = api.objects.get("headerregistries", "b", namespace=namespace).get("status", {})
        return "".join(found["status"] for found in status.get("conditions", ()) if found["type"] == "Ready")

    try:
        assert await eventually_beside(ready, lambda found: found == "True")
    finally:
        stop.set()
        await running
