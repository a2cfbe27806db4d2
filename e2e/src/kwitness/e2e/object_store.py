"""An object store that speaks S3, as a process on loopback: for tests, without Kubernetes or containers."""

from __future__ import annotations

import os
import secrets
import shutil
import ssl
import subprocess
import tempfile
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from kwitness.e2e.binaries import GoCommand, built
from kwitness.images.commands import run
from kwitness.sandbox.ports import free_port
from kwitness.sandbox.waiting import WaitFailedError, wait_until

VERSITYGW = GoCommand(
    "versitygw",
    Path(__file__).resolve().parents[3] / "stores" / "versitygw",
    "github.com/versity/versitygw/cmd/versitygw",
)
REGION = "us-east-1"
_HEALTH = "/health"


@dataclass(frozen=True)
class StoreKeys:
    """The credential of one user; made when the store starts and of use nowhere else."""

    access: str
    secret: str


class ObjectStore:
    """A store with one user who may do everything. Use it as a context manager; what it holds outlives `kill`.

    Parameters
    ----------
    certificate
        Files with the certificate and its key; without them it speaks no TLS.
    """

    def __init__(self, certificate: tuple[Path, Path] | None = None) -> None:
        self.keys = StoreKeys(f"AK{secrets.token_hex(8).upper()}", secrets.token_urlsafe(30))
        self._certificate = certificate
        self._folder = Path(tempfile.mkdtemp(prefix="kwitness-store-"))
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        for name in ("buckets", "attributes", "users"):
            (self._folder / name).mkdir()

    @property
    def endpoint(self) -> str:
        """Where it answers."""
        return f"{'https' if self._certificate else 'http'}://127.0.0.1:{self._port}"

    def make_bucket(self, name: str) -> None:
        """Make a bucket, which is the first user's."""
        (self._folder / "buckets" / name).mkdir()

    def remove_bucket(self, name: str) -> None:
        """Remove a bucket with all that is in it, past the store."""
        for part in ("buckets", "attributes"):
            shutil.rmtree(self._folder / part / name, ignore_errors=True)

    def add_user(self, name: str, role: Literal["user", "admin"] = "user") -> StoreKeys:
        """Make a user: one who may do nothing yet, or everything."""
        keys = StoreKeys(name, secrets.token_urlsafe(30))
        told = {"ADMIN_ACCESS_KEY": self.keys.access, "ADMIN_SECRET_KEY": self.keys.secret}
        options = ["--endpoint-url", self.endpoint, "create-user"]
        user = ["--access", keys.access, "--secret", keys.secret, "--role", role]
        run([_program(), "admin", *options, *user], environment=told)
        return keys

    def files(self) -> list[Path]:
        """Files with all that it holds."""
        return [path for path in (self._folder / "buckets").rglob("*") if path.is_file()]

    def has(self, place: str) -> bool:
        """Whether there is an object: bucket and key with `/` between them."""
        return (self._folder / "buckets" / place).is_file()

    def requests(self) -> list[str]:
        """The operations that it was asked for, in order, such as `s3_PutObject`."""
        lines = self._log("access").splitlines()
        return [word for line in lines for word in line.split() if word.startswith("s3_")]

    def start(self) -> None:
        """Start, and wait until it answers.

        Raises
        ------
        RuntimeError
            It does not; its output is in the message.
        """
        listening = ["--port", f"127.0.0.1:{self._port}", "--region", REGION, "--health", _HEALTH, "--quiet"]
        if self._certificate:
            listening += ["--cert", str(self._certificate[0]), "--key", str(self._certificate[1])]
        kept = ["--iam-dir", str(self._folder / "users"), "--access-log", str(self._folder / "access.log")]
        # Not every file system has attributes of users.
        behind = ["posix", "--sidecar", str(self._folder / "attributes"), str(self._folder / "buckets")]
        keys = {"ROOT_ACCESS_KEY": self.keys.access, "ROOT_SECRET_KEY": self.keys.secret}
        with (self._folder / "output.log").open("ab") as output:
            self._process = subprocess.Popen(
                [_program(), *listening, *kept, *behind],
                env={"PATH": os.environ["PATH"], **keys},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            wait_until(self._answers, what="the object store", needs=[self._process], every=0.05)
        except WaitFailedError as error:
            raise RuntimeError(f"{error}\n{self._log('output')}") from error

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """End it and remove what it held."""
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _answers(self) -> bool:
        connection = self._connection()
        try:
            connection.request("GET", _HEALTH)
            return connection.getresponse().status == 200  # noqa: PLR2004 - HTTP's own
        except OSError:
            return False
        finally:
            connection.close()

    def _connection(self) -> HTTPConnection:
        if self._certificate is None:
            return HTTPConnection("127.0.0.1", self._port, timeout=1)
        trusting = ssl.create_default_context(cafile=str(self._certificate[0]))
        return HTTPSConnection("127.0.0.1", self._port, timeout=1, context=trusting)

    def _log(self, name: str) -> str:
        file = self._folder / f"{name}.log"
        return file.read_text(errors="replace") if file.exists() else ""


def _program() -> Path:
    return built(VERSITYGW) / "versitygw"
