"""Checks what a Maven repository of a release has, and builds one."""

from __future__ import annotations

import hashlib
import json
import subprocess
import zipfile
from pathlib import Path

import pytest

from kwitness.devtools.release.bills.document import write
from kwitness.devtools.release.bills.libraries import jar_bill
from kwitness.devtools.release.maven import PROJECTS, maven
from kwitness.devtools.release.maven_requirements import lacks
from kwitness.devtools.release.openpgp import PASSPHRASE, sign_files
from kwitness.devtools.release.release import REPOSITORY, Release, ReleaseError
from kwitness.e2e.kafka.local_broker import LocalBroker
from kwitness.e2e.recording_collector import RecordingCollector
from kwitness.images.commands import silent
from kwitness.sandbox.waiting import run_to_end

from tests.release.documents import related
from tests.release.sources import sources_version

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><relativePath>../parent/pom.xml</relativePath></parent>
  <artifactId>plugin</artifactId>
  <name>plugin</name>
  <description>A plugin.</description>
</project>
"""
PARENT = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <artifactId>parent</artifactId>
  <groupId>dev.kwitness</groupId>
  <version>0.2.0</version>
  <name>parent</name>
  <description>A parent.</description>
  <url>https://git.example.org/kwitness</url>
  <licenses><license><name>Apache-2.0</name><url>https://www.apache.org</url></license></licenses>
  <developers><developer><name>kwitness</name></developer></developers>
  <scm><connection>scm:git:x</connection><url>x</url></scm>
</project>
"""
NAMES = ("kwitness-broker-plugin", "kwitness-interceptors", "kwitness-headers")


def poms(folder: Path, parent: str = PARENT, pom: str = POM) -> Path:
    for name, text in (("parent", parent), ("plugin", pom)):
        (folder / name).mkdir()
        (folder / name / "pom.xml").write_text(text)
    return folder / "plugin/pom.xml"


@pytest.mark.parametrize("project", PROJECTS)
def test_projects_that_are_released_lack_nothing(project: str) -> None:
    assert lacks(REPOSITORY / "services" / project / "pom.xml") == []


def test_a_project_has_what_its_parent_has_but_its_name_and_description(tmp_path: Path) -> None:
    own = POM.replace("  <name>plugin</name>\n", "").replace("A plugin.", " ")

    assert lacks(poms(tmp_path, pom=own)) == ["name", "description"]


@pytest.mark.parametrize("field", ["url", "licenses", "developers", "scm"])
def test_a_field_that_public_repositories_require_is_missed(tmp_path: Path, field: str) -> None:
    lines = [line for line in PARENT.splitlines() if not line.startswith(f"  <{field}>")]

    assert {name.partition("/")[0] for name in lacks(poms(tmp_path, "\n".join(lines)))} == {field}


def secret_key(folder: Path, *, passphrase: str = "", names: tuple[str, ...] = ("release",)) -> Path:
    """Write new secret keys into one file, and the public ones beside it."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    gpg = ["gpg", "--homedir", home, "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", passphrase]
    try:
        for name in names:
            subprocess.run([*gpg, "--quick-generate-key", name, "ed25519", "sign", "never"], check=True)
        subprocess.run([*gpg, "--armor", "--output", folder / "key.asc", "--export-secret-keys"], check=True)
        subprocess.run([*gpg, "--output", folder / "public.gpg", "--export"], check=True)
    finally:
        subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=True)
    return folder / "key.asc"


def is_verified(file: Path, public: Path) -> bool:
    command = ["gpgv", "--keyring", public, file.with_name(f"{file.name}.asc"), file]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.release
def test_a_signature_is_of_the_key_and_of_each_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSPHRASE, "secret")
    key = secret_key(tmp_path, passphrase="secret")
    file = tmp_path / "a.jar"
    file.write_bytes(b"a jar")

    sign_files([file], key)

    (tmp_path / "other").mkdir()
    secret_key(tmp_path / "other")
    assert is_verified(file, tmp_path / "public.gpg")
    assert not is_verified(file, tmp_path / "other/public.gpg")
    file.write_bytes(b"a jas")
    assert not is_verified(file, tmp_path / "public.gpg")


@pytest.mark.release
def test_a_wrong_passphrase_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = secret_key(tmp_path, passphrase="secret")
    monkeypatch.setenv(PASSPHRASE, "wrong")

    with pytest.raises(ReleaseError, match=r"is \$OPENPGP_PASSPHRASE its passphrase\?"):
        sign_files([key], key)


@pytest.mark.release
def test_a_file_that_has_no_key_is_named(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("a key of cosign")

    with pytest.raises(ReleaseError, match=r"cannot import .*/key: is it what `gpg --export-secret-keys` has written"):
        sign_files([file], file)


@pytest.mark.release
def test_of_several_keys_none_is_chosen(tmp_path: Path) -> None:
    key = secret_key(tmp_path, names=("first", "second"))

    with pytest.raises(ReleaseError, match="has 2 secret keys, and one signs"):
        sign_files([key], key)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release with the Maven repository of these sources, signed."""
    out = tmp_path_factory.mktemp("release")
    key = secret_key(tmp_path_factory.mktemp("key"))
    made = Release(version=sources_version(), out=out, registry="127.0.0.1:5000", openpgp_key=key)
    maven(made, silent)
    return made


def checksums(release: Release) -> dict[str, str]:
    files = (file for file in (release.out / "maven").rglob("*") if file.is_file() and file.suffix != ".asc")
    return {str(file.relative_to(release.out)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.release
def test_each_artefact_has_sources_javadoc_checksums_and_signatures(release: Release) -> None:
    group = release.out / "maven/dev/kwitness"
    version = release.version

    for name in NAMES:
        files = {path.name.removeprefix(f"{name}-{version}") for path in (group / name / version).iterdir()}
        kinds = [".jar", ".pom", "-sources.jar", "-javadoc.jar"]
        assert files == {f"{kind}{end}" for kind in kinds for end in ("", ".asc", ".md5", ".sha1")}
    assert release.openpgp_key is not None
    signed = [file for file in group.rglob("*") if file.suffix in {".jar", ".pom"}]
    assert len(signed) == 13
    assert all(is_verified(file, release.openpgp_key.with_name("public.gpg")) for file in signed)


@pytest.mark.release
def test_the_same_sources_give_the_same_artefacts(release: Release, tmp_path: Path) -> None:
    again = Release(version=release.version, out=tmp_path, registry=release.registry)
    lines: list[str] = []

    maven(again, lines.append)

    assert checksums(again) == checksums(release)
    assert lines[-1] == "13 files, not signed: no OpenPGP key is given"


@pytest.mark.release
def test_bills_name_what_is_shaded_into_jars_and_nothing_else_is_in_them(release: Release) -> None:
    shaded = {"kwitness-interceptors": {"pkg:maven/net.bytebuddy/byte-buddy"}}
    inside = {"kwitness-interceptors": "dev/kwitness/interceptors/agent/bytebuddy/"}

    for name in NAMES:
        file = release.out / f"maven/dev/kwitness/{name}/{release.version}/{name}-{release.version}.jar"
        document = json.loads(write(jar_bill(release, file), release.folder("sbom")).read_text())
        own = f"pkg:maven/dev.kwitness/{name}@{release.version}"
        found = {url.partition("@")[0] for url in related(document, own, "CONTAINS")}
        assert (name, found) == (name, shaded.get(name, set()))
        with zipfile.ZipFile(file) as jar:
            classes = [path for path in jar.namelist() if path.endswith(".class")]
        assert all(path.startswith("dev/kwitness/") for path in classes)
        assert any("bytebuddy" in path for path in classes) == bool(found)
        assert all(path.startswith(inside[name]) for path in classes if "bytebuddy" in path)


@pytest.mark.release
def test_another_version_than_that_of_the_poms_is_refused(release: Release, tmp_path: Path) -> None:
    other = Release(version="99.0.0", out=tmp_path, registry=release.registry)

    with pytest.raises(ReleaseError, match=r"and version 99\.0\.0: run `make version VERSION=99\.0\.0`"):
        maven(other, silent)


@pytest.mark.release
def test_a_project_of_a_stranger_gets_the_jar_and_a_broker_loads_it(release: Release, tmp_path: Path) -> None:
    pom = tmp_path / "pom.xml"
    dependencies = "".join(
        f"<dependency><groupId>dev.kwitness</groupId><artifactId>{name}</artifactId>"
        f"<version>{release.version}</version></dependency>"
        for name in NAMES
    )
    pom.write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>shop</artifactId>"
        f"<version>1</version><repositories><repository><id>release</id><url>{(release.out / 'maven').as_uri()}</url>"
        "<releases><checksumPolicy>fail</checksumPolicy></releases></repository></repositories>"
        f"<dependencies>{dependencies}</dependencies></project>"
    )
    copy = ["org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies", "-DoutputDirectory=jars"]
    run_to_end(["mvn", "-q", "-B", f"-Dmaven.repo.local={tmp_path / 'local'}", *copy], cwd=tmp_path, check=True)

    # Brokers, clients and applications have what else the jars are compiled with.
    jars = {path.name: path for path in (tmp_path / "jars").iterdir()}
    assert set(jars) == {f"{name}-{release.version}.jar" for name in NAMES}
    with RecordingCollector() as collector:
        settings = {"kwitness.collector.url": collector.url, "kwitness.collector.insecure.plaintext": "true"}
        jar = jars[f"kwitness-broker-plugin-{release.version}.jar"]
        with LocalBroker("4.3.1", plugin=jar, overrides={**settings, "kwitness.heartbeat.interval.ms": "300"}):
            collector.wait_for(lambda: collector.heartbeats() or None, what="a heartbeat of the plugin")
