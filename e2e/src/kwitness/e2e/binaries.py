"""The commands of Kubernetes, etcd, CoreDNS and Helm, built from the Go modules pinned in `e2e/node`."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass
from pathlib import Path

from kwitness.images.cache import cache_folder, cached_folder, content_key, exclusive
from kwitness.images.commands import Progress, run, silent

NODE_SOURCES = Path(__file__).resolve().parents[3] / "node"


@dataclass(frozen=True)
class GoModule:
    """A folder, by default of `e2e/node`, and what is built in it.

    Attributes
    ----------
    name
        The folder.
    packages
        Import paths of the commands; the last element is the file's name.
    variables
        Values for the linker, such as the version a command reports.
    minutes
        About how long a cold build takes on two cores, for the progress line.
    sources
        The folder with the module's folder in it.
    """

    name: str
    packages: tuple[str, ...]
    variables: tuple[str, ...] = ()
    minutes: float = 1
    sources: Path = NODE_SOURCES


_VERSION = "k8s.io/component-base/version"
KUBERNETES = GoModule(
    "kubernetes",
    tuple(
        f"k8s.io/kubernetes/cmd/{command}"
        for command in (
            "kube-apiserver",
            "kube-controller-manager",
            "kube-scheduler",
            "kube-proxy",
            "kubelet",
            "kubectl",
        )
    ),
    # Without these kubelet and clients report v0.0.0.
    (f"{_VERSION}.gitVersion=v1.34.4", f"{_VERSION}.gitMajor=1", f"{_VERSION}.gitMinor=34"),
    minutes=6,
)
ETCD = GoModule("etcd", ("go.etcd.io/etcd/server/v3",), minutes=0.5)
COREDNS = GoModule("coredns", (".",), minutes=0.5)
PAUSE = GoModule("pause", (".",), minutes=0.1)
HELM = GoModule("helm", ("helm.sh/helm/v3/cmd/helm",), ("helm.sh/helm/v3/internal/version.version=v3.21.4",), minutes=2)
#: A registry that lives as long as a test.
REGISTRY = GoModule("registry", (".",), minutes=0.3)

#: Without cgo: a command linked against the host's C library would not start in an older image.
_BUILD_ENVIRONMENT = {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOOS": "linux"}
_BUILD_OPTIONS = ("-trimpath", "-buildvcs=false")


def built(module: GoModule, progress: Progress = silent) -> Path:
    """The folder with the commands of a module, built if its pins, its options or Go itself changed.

    Raises
    ------
    CommandFailedError
        Go could not fetch or build; its output is in the message.
    """
    source = module.sources / module.name
    linker = " ".join(["-s", "-w", *(f"-X {variable}" for variable in module.variables)])
    recipe = " ".join(
        [*module.packages, *_BUILD_OPTIONS, linker, *sorted(f"{k}={v}" for k, v in _BUILD_ENVIRONMENT.items())]
    )
    key = content_key(source, recipe, _go_version(source))

    def make(folder: Path) -> None:
        progress(
            f"building {module.name} from Go modules (about {module.minutes:g} min on 2 cores when nothing is cached)"
        )
        for package in module.packages:
            target = folder / (
                module.name if package in {".", "go.etcd.io/etcd/server/v3"} else package.rpartition("/")[2]
            )
            run(
                ["go", "build", *_BUILD_OPTIONS, "-ldflags", linker, "-o", target, package],
                directory=source,
                environment=_BUILD_ENVIRONMENT,
            )

    return cached_folder(f"go/{module.name}", key, make)


def kubectl(progress: Progress = silent) -> Path:
    """The kubectl of the pinned Kubernetes."""
    return _published(built(KUBERNETES, progress) / "kubectl")


def helm(progress: Progress = silent) -> Path:
    """The pinned Helm."""
    return _published(built(HELM, progress) / "helm")


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
