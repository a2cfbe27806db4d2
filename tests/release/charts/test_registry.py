"""Charts in a registry: what is installed from there, and registries that refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from kwitness.devtools.release.charts import charts
from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.e2e import chart
from kwitness.images.commands import silent
from kwitness.sandbox.ports import free_port

from tests.release.charts.conftest import VALUES, VERSION, images_lock, release_into

pytestmark = pytest.mark.slow

EVERY_IMAGE: dict[str, Any] = {
    "injector": {"enabled": True},
    "analytics": {"tableRoot": "s3a://tables/kwitness"},
    "console": {
        "enabled": True,
        "url": "https://console.example.org",
        "kafkaCluster": {"namespace": "kwitness", "name": "orders"},
        "collector": {"name": "main"},
        "tls": {"secret": "kwitness-console-tls"},
    },
}


def digests(registry: str) -> dict[str, Any]:
    """Values that say of the folder's chart what the packaged one has as defaults."""
    keys, lock = yaml.safe_load(VALUES)["images"], images_lock()
    names = {key: image["repository"].removeprefix("kwitness/") for key, image in keys.items()}
    images = {key: {part: lock[name][part] for part in ("repository", "digest")} for key, name in names.items()}
    return {"global": {"imageRegistry": registry}, "images": images}


def from_registry(release: Release, *arguments: str | Path) -> list[chart.Manifest]:
    text = chart.helm(
        *("template", "kwitness", f"oci://{release.registry}/kwitness/charts/kwitness", "--version", VERSION),
        *("--plain-http", "--namespace=kwitness", "--kube-version", chart.KUBERNETES_VERSION, *arguments),
    )
    return [document for document in yaml.load_all(text, Loader=yaml.CSafeLoader) if document]


def test_the_chart_of_the_registry_needs_no_values(published: Release) -> None:
    assert from_registry(published) == chart.render(digests(published.registry))


def test_no_image_of_the_chart_of_the_registry_lacks_its_digest(published: Release) -> None:
    with chart.values_file(EVERY_IMAGE) as file:
        manifests = from_registry(published, "--values", file.name)

    assert manifests == chart.render({**digests(published.registry), **EVERY_IMAGE})
    text = json.dumps(manifests)
    for name, image in images_lock().items():
        reference = f"{published.registry}/{image['repository']}"
        named = text.count(reference + "@") + text.count(reference + ":")
        assert (name, named > 0) == (name, name != "spark")  # in whose place spark-s3a is
        assert text.count(f"{reference}@{image['digest']}") == named


def test_what_is_pulled_is_what_was_packed(published: Release, tmp_path: Path) -> None:
    lock = json.loads((published.out / "charts.lock.json").read_text())
    assert set(lock) == {"kwitness", "kwitness-crds"}

    for name, entry in lock.items():
        reference = f"oci://{published.registry}/{entry['repository']}@{entry['digest']}"
        (tmp_path / name).mkdir()
        chart.helm("pull", reference, "--plain-http", "--destination", tmp_path / name)

        (pulled,) = (tmp_path / name).iterdir()
        assert pulled.read_bytes() == (published.out / "charts" / f"{name}-{VERSION}.tgz").read_bytes()


def test_a_step_that_runs_again_pushes_the_same_digests_and_removes_other_packages(published: Release) -> None:
    lock = (published.out / "charts.lock.json").read_text()
    names = sorted(file.name for file in (published.out / "charts").iterdir())
    (published.out / "charts" / "kwitness-0.0.9.tgz").touch()

    charts(published, silent)

    assert (published.out / "charts.lock.json").read_text() == lock
    assert sorted(file.name for file in (published.out / "charts").iterdir()) == names


def test_helm_finds_no_fault_in_the_packages(published: Release) -> None:
    packages = sorted((published.out / "charts").glob("*.tgz"))

    output = chart.helm("lint", "--strict", "--kube-version", chart.KUBERNETES_VERSION, *packages)

    assert "2 chart(s) linted, 0 chart(s) failed" in output


@contextmanager
def refusing(status: int, code: str) -> Iterator[str]:
    """A registry that has nothing, and answers every upload with an error."""

    class Refusing(BaseHTTPRequestHandler):
        def answer(self, status: int, code: str) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = json.dumps({"errors": [{"code": code, "message": code.lower()}]}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_GET(self) -> None:
            self.answer(404, "NAME_UNKNOWN")

        def do_POST(self) -> None:
            self.answer(status, code)

        def do_HEAD(self) -> None:
            self.answer(404, "NAME_UNKNOWN")

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def away() -> Iterator[str]:
    yield f"127.0.0.1:{free_port()}"


@pytest.mark.parametrize(
    ("registry", "error"),
    [
        (away(), "connection refused: start it, or correct REGISTRY"),
        (refusing(500, "UNKNOWN"), "500.*: the registry's log says more"),
        (refusing(405, "UNSUPPORTED"), "405.*: sign in by `helm registry login` as a user who may push"),
        (refusing(403, "DENIED"), "403.*: sign in by `helm registry login` as a user who may push"),
    ],
    ids=["away", "broken", "read-only", "denied"],
)
def test_a_registry_that_refuses_is_named_and_leaves_the_folder_as_it_was(tmp_path: Path, registry, error) -> None:
    before = {"charts/kwitness-0.0.9.tgz": b"older", "charts.lock.json": b"{}"}
    with registry as address:
        release = release_into(tmp_path / "out", address)
        before["images.lock.json"] = (release.out / "images.lock.json").read_bytes()
        release.folder("charts")
        for name, content in before.items():
            (release.out / name).write_bytes(content)

        with pytest.raises(ReleaseError, match=error) as refused:
            charts(release, silent)

    assert f"kwitness-{VERSION}.tgz could not be pushed to oci://{address}/kwitness/charts: " in str(refused.value)
    left = {file.relative_to(release.out).as_posix(): file for file in release.out.rglob("*") if file.is_file()}
    assert {name: file.read_bytes() for name, file in left.items()} == before
