"""Rights of the node's container where `--privileged` is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kwitness.e2e.node.privileges import bounding_capabilities


def test_the_bounding_set_is_read_bit_by_bit() -> None:
    assert bounding_capabilities("Name:\tx\nCapBnd:\t0000000000000401\n") == ["CHOWN", "NET_BIND_SERVICE"]


def test_capabilities_that_old_engines_do_not_know_are_not_asked_for() -> None:
    held = bounding_capabilities("CapBnd:\t000001ffffffffff\n")
    assert {"SYS_ADMIN", "NET_ADMIN"} <= set(held)
    assert not {"SYS_RESOURCE", "BPF", "PERFMON", "CHECKPOINT_RESTORE"} & set(held)


def test_this_machine_has_a_bounding_set() -> None:
    assert bounding_capabilities(Path("/proc/self/status").read_text())


def test_a_text_without_a_bounding_set_is_refused() -> None:
    with pytest.raises(ValueError, match="is /proc mounted"):
        bounding_capabilities("Name: x\n")
