"""Fixtures of the tests of interceptors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness_interceptors.reporting import process

from .confluent_samples import topic_name
from .own_process import forget_profile, set_profile


@pytest.fixture
def real_topic(kafka: LocalBroker) -> Iterator[str]:
    """A topic with two partitions on a real broker."""
    admin: Any = AdminClient({"bootstrap.servers": kafka.bootstrap})
    name = topic_name()
    admin.create_topics([NewTopic(name, 2, 1)])[name].result()
    yield name
    admin.delete_topics([name])[name].result()


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Sets the profile of this process, which is a pod's, and forgets it afterwards."""
    monkeypatch.setenv("KWITNESS_POD_NAME", "orders-1")
    monkeypatch.setenv("KWITNESS_POD_NAMESPACE", "shop")
    monkeypatch.setenv("KWITNESS_INTERCEPTORS", str(tmp_path / "interceptors.json"))
    # Windows of a closed client would be taken out before they are looked at.
    monkeypatch.setattr(process, "_TICK_S", 3_600.0)
    yield partial(set_profile, tmp_path / "interceptors.json")
    forget_profile()
