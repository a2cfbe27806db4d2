"""Signing in to a registry that lets known users push: Helm finds there what `make sign-in` keeps."""

from __future__ import annotations

import base64
import stat
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from kwitness.devtools.release import sign_in as program
from kwitness.devtools.release.chart_registry import push_chart
from kwitness.devtools.release.release import Release, ReleaseError
from kwitness.devtools.release.sign_in import PASSWORD, USER, sign_in
from kwitness.sandbox.ports import free_port

pytestmark = pytest.mark.slow
ACCOUNT = {USER: "releaser", PASSWORD: "a word"}
TOKEN = "Basic " + base64.b64encode(f"{ACCOUNT[USER]}:{ACCOUNT[PASSWORD]}".encode()).decode()


@pytest.fixture
def guarded(registry: str) -> Iterator[str]:
    """The registry behind a door that opens to the account alone."""

    class Door(BaseHTTPRequestHandler):
        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.headers.get("Authorization") != TOKEN:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="registry"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            connection = HTTPConnection(registry)
            connection.request(self.command, self.path, body, dict(self.headers))
            answer = connection.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name not in {"Content-Length", "Date", "Transfer-Encoding"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", answer.getheader("Content-Length") or str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: Any) -> None:
            pass

    for method in ("GET", "HEAD", "PATCH", "POST", "PUT"):
        setattr(Door, f"do_{method}", Door.forward)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_release_pushes_after_the_sign_in_and_not_before(
    guarded: str, published: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    release = Release(version=published.version, out=published.out, registry=guarded)
    package = next((published.out / "charts").glob("kwitness-crds-*.tgz"))
    with pytest.raises(ReleaseError, match="sign in by"):
        push_chart(release, package)

    sign_in(f"{guarded}/team", {**ACCOUNT, "DOCKER_CONFIG": str(tmp_path)})

    assert push_chart(release, package).startswith("sha256:")
    assert stat.S_IMODE((tmp_path / "config.json").stat().st_mode) == 0o600


def test_another_password_is_refused_without_being_shown(guarded: str, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=f"releaser cannot sign in to {guarded}.*401.*: correct") as error:
        sign_in(guarded, {**ACCOUNT, PASSWORD: "other-word", "DOCKER_CONFIG": str(tmp_path)})

    assert "other-word" not in str(error.value)
    assert "other-word" not in "".join(file.read_text() for file in tmp_path.iterdir())


def test_a_registry_that_is_away_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"cannot sign in to 127\.0\.0\.1:\d+: .*connection refused"):
        sign_in(f"127.0.0.1:{free_port()}", {**ACCOUNT, "DOCKER_CONFIG": str(tmp_path)})


@pytest.mark.parametrize("absent", [USER, PASSWORD])
def test_an_absent_value_is_named(absent: str) -> None:
    with pytest.raises(ReleaseError, match=f"{absent} have no value"):
        sign_in("127.0.0.1:1", {name: value for name, value in ACCOUNT.items() if name != absent})


def test_the_registry_of_an_example_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main() == 1
    assert "is an example: write your registry there" in capsys.readouterr().err
