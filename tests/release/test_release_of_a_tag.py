"""A tag is released with its version and with keys that are texts of the environment."""

from __future__ import annotations

import re
import stat
import sys
from pathlib import Path

import pytest
import yaml

from kwitness.devtools.release import cosign, openpgp, tagged
from kwitness.devtools.release.check import parsed
from kwitness.devtools.release.release import ReleaseError
from kwitness.devtools.release.sign_in import PASSWORD, USER
from kwitness.devtools.release.tagged import KEYS, key_options, version_of

ROOT = Path(__file__).resolve().parents[2]
TEXTS = dict.fromkeys(KEYS, "-----BEGIN KEY-----\nabc\n-----END KEY-----")


@pytest.mark.parametrize("version", ["0.2.0", "10.20.30", "0.2.0-rc.1"])
def test_a_version_is_its_tag_without_a_letter(version: str) -> None:
    assert version_of(f"v{version}") == version


@pytest.mark.parametrize("tag", ["", "0.2.0", "v", "v0.2", "vv0.2.0", "main", "v0.2.0-beta"])
def test_a_tag_without_a_version_is_refused(tag: str) -> None:
    with pytest.raises(ReleaseError, match=r"write it as v?0\.2\.0"):
        version_of(tag)


def test_the_hosted_run_begins_for_tags_that_are_released() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    patterns = [re.escape(text).replace(r"\[0\-9\]\+", "[0-9]+") for text in workflow[True]["push"]["tags"]]

    def begins(tag: str) -> bool:
        return any(re.fullmatch(pattern, tag) for pattern in patterns)

    for tag in ("v0.2.0", "v10.20.30", "v0.2.0-rc.1"):
        assert begins(tag)
        parsed(tag[1:])
    for tag in ("0.2.0", "v0.2", "v0.2.0-beta", "v0.2.0-rc1", "v0.2.0.1", "version"):
        assert not begins(tag)


def test_a_key_is_in_a_file_that_its_owner_alone_reads(tmp_path: Path) -> None:
    options = key_options(TEXTS, tmp_path)

    assert options[::2] == ["--key", "--openpgp-key"]
    for file in map(Path, options[1::2]):
        assert file.read_text() == "-----BEGIN KEY-----\nabc\n-----END KEY-----\n"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("absent", KEYS)
def test_a_release_without_a_key_is_refused(tmp_path: Path, absent: str) -> None:
    with pytest.raises(ReleaseError, match=f"is signed, and {absent} have no text"):
        key_options({**TEXTS, absent: " \n"}, tmp_path)


def test_the_hosted_run_gives_what_the_programs_read() -> None:
    steps = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]["release"]["steps"]
    given = {step["run"]: set(step["env"]) for step in steps if "env" in step}

    assert given == {
        "make sign-in": {USER, PASSWORD},
        "make release-tag": {"TAG", *KEYS, openpgp.PASSPHRASE, cosign.PASSWORD},
    }


@pytest.mark.slow
def test_the_release_runs_with_version_registry_and_keys_of_the_tag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, text in TEXTS.items():
        monkeypatch.setenv(name, text)
    monkeypatch.setattr(sys, "argv", ["tagged", "v0.9.0", "check", f"--out={tmp_path}"])

    assert tagged.main() == 1

    assert "registry.example.org is not on this machine, and " in capfd.readouterr().err
