"""Java trusts an object store whose authority is in the bundle, and the system's authorities as before."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kwitness.e2e.certificates import Authority
from kwitness.e2e.object_store import ObjectStore
from kwitness.sandbox.waiting import run_to_end

from tests.s3a_client import list_bucket


@pytest.fixture
def authority() -> Authority:
    return Authority("company")


@pytest.fixture
def store(authority: Authority, tmp_path: Path) -> Iterator[ObjectStore]:
    issued = authority.issue("store", ["127.0.0.1"])
    files = (tmp_path / "store.crt", tmp_path / "store.key")
    files[0].write_text(issued.certificate + authority.certificate)
    files[1].write_text(issued.key)
    with ObjectStore(files) as started:
        started.make_bucket("tables")
        yield started


def write(bundle: Authority, folder: Path) -> Path:
    (folder / "bundle.crt").write_text(f"# the company's: \u00e9\n{bundle.certificate}")
    written = folder / "trust-store.jks"
    command = [sys.executable, "-m", "kwitness.jobs.driver.trust_store", str(written)]
    run_to_end(command, check=True, env={**os.environ, "SSL_CERT_FILE": str(folder / "bundle.crt")})
    return written


def lists(store: ObjectStore, trust_store: Path, folder: Path) -> bool:
    return list_bucket(store, folder, options=f"-Djavax.net.ssl.trustStore={trust_store}").returncode == 0


def test_java_trusts_a_store_of_the_bundles_authority(store: ObjectStore, authority: Authority, tmp_path: Path) -> None:
    assert lists(store, write(authority, tmp_path), tmp_path)


def test_java_refuses_a_store_of_another_authority(store: ObjectStore, tmp_path: Path) -> None:
    assert not lists(store, write(Authority("other"), tmp_path), tmp_path)


def test_the_system_authorities_stay(authority: Authority, tmp_path: Path) -> None:
    system = Path("/etc/ssl/certs/ca-certificates.crt").read_text().count("BEGIN CERTIFICATE")
    command = ["keytool", "-list", "-keystore", str(write(authority, tmp_path)), "-storepass", "changeit"]

    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert f"contains {system + 1} entries" in shown
