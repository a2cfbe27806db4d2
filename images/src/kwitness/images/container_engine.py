"""The container engine: found, or installed and started after saying so; and the few things asked of it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from kwitness.images.build_context import write_context
from kwitness.images.cache import cache_folder
from kwitness.images.commands import CommandFailedError, Progress, feed, pipe, run, silent

_START_SECONDS = 60
#: The last line of `docker push`: `TAG: digest: sha256:... size: N`.
_PUSHED = re.compile(r": digest: (sha256:[0-9a-f]{64}) ")


class NoEngineError(RuntimeError):
    """There is no container engine and none could be made available."""


class NoDigestError(RuntimeError):
    """An image was pushed, and its digest is not known."""


def docker(*arguments: str | Path, input_text: str | None = None) -> str:
    """Run one Docker command (`DOCKER_HOST` counts) and return its standard output.

    Raises
    ------
    CommandFailedError
        The command failed.
    """
    return run(["docker", *arguments], input_text=input_text)


def ensure_engine(progress: Progress = silent) -> None:
    """Return with an engine that answers.

    Without a `docker` command Debian's docker.io is installed; an engine that is not running is started and stays.
    A `DOCKER_HOST` in the environment is only ever used, never started.

    Raises
    ------
    NoEngineError
        Says what is missing and what to do.
    """
    if answers():
        return
    host = os.environ.get("DOCKER_HOST")
    if host:
        raise NoEngineError(
            f"the container engine at DOCKER_HOST={host} does not answer: start it, or unset DOCKER_HOST"
        )
    if shutil.which("dockerd") is None:
        install("docker.io", "there is no container engine", progress)
    _start(progress)


def answers() -> bool:
    """Whether an engine answers."""
    if shutil.which("docker") is None:
        return False
    try:
        docker("version", "--format", "{{.Server.Version}}")
    except CommandFailedError:
        return False
    return True


def container_exists(name: str) -> bool:
    """Return whether an engine answers and has a container of this name, running or not."""
    return answers() and bool(docker("ps", "--all", "--quiet", "--filter", f"name=^/{name}$").strip())


def install(package: str, reason: str, progress: Progress) -> None:
    """Install a Debian package, having said so.

    Raises
    ------
    NoEngineError
        Not on Debian, not root and no sudo, or apt failed.
    """
    if shutil.which("apt-get") is None:
        raise NoEngineError(f"{reason}, and this system has no apt-get: install {package} by its own means")
    prefix = [] if os.geteuid() == 0 else ["sudo"]
    if prefix and shutil.which("sudo") is None:
        raise NoEngineError(f"{reason}: install {package} as root (`apt-get install {package}`)")
    progress(f"{reason}: installing {package} with apt-get")
    environment = {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        run([*prefix, "apt-get", "update", "-q"], environment=environment)
        run([*prefix, "apt-get", "install", "-y", "-q", "--no-install-recommends", package], environment=environment)
    except CommandFailedError as error:
        raise NoEngineError(f"{reason}, and {package} could not be installed: {error}") from error


def image_exists(name: str) -> bool:
    """Whether the engine has an image of this name."""
    try:
        docker("image", "inspect", "--format", "{{.Id}}", name)
    except CommandFailedError:
        return False
    return True


def image_names() -> frozenset[str]:
    """All `repository:tag` the engine has."""
    return frozenset(docker("images", "--format", "{{.Repository}}:{{.Tag}}").split())


def build(context: Path, tag: str, *, arguments: dict[str, str] | None = None, is_cached: bool = True) -> None:
    """Build the Dockerfile of a folder, whose files come into the image as `write_context` writes them.

    Parameters
    ----------
    is_cached
        Steps that the engine has done before, with the same files, are not done again.

    Raises
    ------
    CommandFailedError
        The build failed; its output is in the message.
    """
    options = [word for name, value in (arguments or {}).items() for word in ("--build-arg", f"{name}={value}")]
    if not is_cached:
        options.append("--no-cache")
    command = ["docker", "build", "--quiet", "--force-rm", "--tag", tag, *options, "-"]
    feed(command, lambda sink: write_context(context, sink))


def push(name: str) -> str:
    """Push an image under its name and return the digest of the manifest that the registry accepted.

    Raises
    ------
    CommandFailedError
        The registry refused.
    NoDigestError
        The engine did not report a digest.
    """
    output = docker("push", name)
    reported = _PUSHED.search(output)
    if reported is None:
        raise NoDigestError(
            f"`docker push {name}` did not report a digest: push with Docker's own command line. It printed\n{output}"
        )
    return reported[1]


def forget_old_images(repository: str, prefix: str = "", *, keep: int) -> None:
    """Remove all but the newest `keep` images of a repository whose tag begins with `prefix`.

    What a container still uses stays.
    """
    listed = docker("images", repository, "--format", "{{.Tag}}").split()  # the newest first
    for tag in [tag for tag in listed if tag.startswith(prefix) and tag != "<none>"][keep:]:
        with contextlib.suppress(CommandFailedError):
            docker("rmi", f"{repository}:{tag}")


def copy_images(names: list[str], sink: list[str | Path]) -> None:
    """Write images as an archive into the standard input of a program."""
    pipe(["docker", "save", *names], sink)


def save(names: list[str], archive: Path) -> None:
    """Write images into an archive; layers that they share are in it once."""
    docker("save", "--output", archive, *names)


def _start(progress: Progress) -> None:
    if os.geteuid() != 0:
        raise NoEngineError(
            "the container engine does not answer: start it (`sudo systemctl start docker`) and be allowed to use it"
        )
    log = cache_folder() / "logs" / "dockerd.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    progress(f"starting the container engine; its log is {log}")
    if shutil.which("systemctl") is not None and Path("/run/systemd/system").is_dir():
        run(["systemctl", "start", "docker"])
    else:
        # Fully detached: a background process that holds the caller's output keeps a CI run from ending.
        with log.open("ab") as output:
            subprocess.Popen(
                ["dockerd"], stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, cwd="/"
            )
    deadline = time.monotonic() + _START_SECONDS
    while not answers():
        if time.monotonic() > deadline:
            raise NoEngineError(f"dockerd did not answer within {_START_SECONDS} s of its start: its log is {log}")
        time.sleep(0.3)
