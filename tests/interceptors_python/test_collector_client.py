"""A request to the collector tells nobody but the collector what the token is."""

from __future__ import annotations

from pathlib import Path

import pytest

from kwitness_interceptors.reporting.collector_client import post_events
from kwitness_interceptors.settings import Collector


@pytest.mark.parametrize("token", ["", "one secret", "secret\r\nsecret", "sécret"], ids=ascii)
def test_what_is_said_of_a_token_that_cannot_be_sent_has_no_part_of_it(tmp_path: Path, token: str) -> None:
    file = tmp_path / "token"
    file.write_bytes(token.encode())

    with pytest.raises(ValueError, match="has no token that a header can hold") as raised:
        post_events(Collector("http://127.0.0.1:1", 1, str(file)), 0, b"{}\n")

    assert str(raised.value).startswith(f"{file} has")
    assert "cret" not in str(raised.value).replace(str(file), "")
