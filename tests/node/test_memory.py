"""The memory a run needs is asked for before anything starts."""

from __future__ import annotations

import pytest

from kwitness.e2e.memory import available_gib, shortage

MEMINFO = "MemTotal:       24678412 kB\nMemFree:          123456 kB\nMemAvailable:    7340032 kB\n"


def test_what_is_available_counts_and_not_what_is_free() -> None:
    assert available_gib(MEMINFO) == 7.0


def test_a_shortage_says_how_much_and_what_to_do() -> None:
    assert "8 GiB of memory must be free" in shortage(8, MEMINFO)
    assert "7.0 GiB are" in shortage(8, MEMINFO)
    assert "make demo-down" in shortage(8, MEMINFO)


def test_enough_memory_is_no_message() -> None:
    assert shortage(7, MEMINFO) == ""


def test_a_machine_without_the_kernels_estimate_is_named() -> None:
    with pytest.raises(ValueError, match="is this Linux"):
        available_gib("MemTotal: 1 kB\n")
