"""Java's trust store has one time in base images, and Java still reads it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kwitness.e2e.certificates import Authority
from kwitness.images import trust_store_times
from kwitness.images.trust_store_times import with_time

pytestmark = pytest.mark.slow

SECONDS = 1_600_000_000
STORE = ("-storepass", "changeit", "-keystore")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A store with an authority, as Java writes it now."""
    folder = tmp_path_factory.mktemp("store")
    (folder / "authority.crt").write_text(Authority("company").certificate)
    added = ("-importcert", "-noprompt", "-storetype", "JKS", "-alias", "company", "-file", folder / "authority.crt")
    subprocess.run(["keytool", *added, *STORE, folder / "store"], check=True, capture_output=True)
    return (folder / "store").read_bytes()


def test_java_reads_a_store_with_another_time(store: bytes, tmp_path: Path) -> None:
    file = tmp_path / "store"
    file.write_bytes(store)

    program = [sys.executable, trust_store_times.__file__, str(file), str(SECONDS)]
    subprocess.run(program, check=True)

    shown = subprocess.run(["keytool", "-list", *STORE, file], check=True, capture_output=True, text=True).stdout
    assert "company, Sep 13, 2020, trustedCertEntry" in shown
    assert with_time(store, SECONDS) == file.read_bytes() != store


@pytest.mark.parametrize("position", [0, -1])
def test_a_damaged_store_is_refused(store: bytes, position: int) -> None:
    damaged = bytearray(store)
    damaged[position] ^= 1

    with pytest.raises(ValueError, match="not a trust store in the format JKS"):
        with_time(bytes(damaged), SECONDS)


def test_an_image_without_java_has_nothing_to_change(tmp_path: Path) -> None:
    trust_store_times.main([str(tmp_path / "absent"), str(SECONDS)])

    assert not list(tmp_path.iterdir())
