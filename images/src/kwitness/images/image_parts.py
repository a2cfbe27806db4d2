"""What goes into images and is prepared on the host: Python packages from locks, jars from Maven projects.

Nothing is fetched inside a build: a proxy's certificate authority that the host trusts is not in the image, and what
was fetched once is kept by content.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from kwitness.images.cache import cache_folder, cached_folder, content_key, is_content, rust_target
from kwitness.images.commands import Progress, run, silent
from kwitness.images.measured import CARGO_BAR, Measured, cargo_units

REPOSITORY = Path(__file__).resolve().parents[4]
#: Debian 12's.
PYTHON = "3.11"
_MAVEN_PARENT = re.compile(r"<relativePath>\.\./(?P<folder>[\w-]+)/pom\.xml</relativePath>")
_RUST_WORKSPACE = tuple(REPOSITORY / name for name in ("Cargo.toml", "Cargo.lock", "rust-toolchain.toml"))


def _crates(*names: str) -> tuple[Path, ...]:
    return tuple(REPOSITORY / "services" / name / part for name in names for part in ("Cargo.toml", "src"))


def _packages(*names: str) -> list[str]:
    return [option for name in names for option in ("--package", f"kwitness-{name}")]


#: Crates of the workspace that the observer and the plugin of librdkafka are compiled with.
OBSERVER_CRATES = ("observation", "protocol", "recording", "reporting")
PLUGIN_CRATES = ("observation", "reporting")
#: What Rust programs are built from.
RUST_SOURCES = (*_RUST_WORKSPACE, *_crates("observer", *OBSERVER_CRATES))
#: What the plugin of librdkafka is built from.
PLUGIN_SOURCES = (
    *_RUST_WORKSPACE,
    *_crates("interceptors-librdkafka", *PLUGIN_CRATES),
    REPOSITORY / "services/interceptors-librdkafka/build.rs",
)
#: The oldest glibc that the plugin runs with: that of Rust's own standard library.
PLUGIN_GLIBC = "2.17"
#: The file that librdkafka loads.
PLUGIN_LIBRARY = "libkwitness.so"
#: What the module of Spark's jobs is built from, and its file, which every Python from 3.11 on loads.
DECODER_SOURCES = (*_RUST_WORKSPACE, *_crates("otlp"))
DECODER_MODULE = "kwitness_otlp.abi3.so"
#: What the Java interceptors are built from.
JAVA_INTERCEPTORS = REPOSITORY / "services" / "interceptors-java"
#: Their jar, which is their agent, too.
JAVA_JAR = "kwitness-interceptors.jar"
#: Cargo's profile of programs that are shipped, and that of programs for tests and the node: the same code, compiled in
#: a fifth of the time.
RELEASE = "release"
QUICK = "quick"
#: Parts of packages that only their authors need, as globs in a folder of packages.
_LEFT_OUT = (
    "bin",
    "numpy/**/tests",
    "pandas/tests",
    "pyarrow/include",
    "pyarrow/tests",
    "pyspark/data",
    "pyspark/examples",
)


def site_packages(lock: Path, progress: Progress = silent) -> Path:
    """A folder with the packages of a lock, for the images' Python.

    Parameters
    ----------
    lock
        Requirements with a hash for each file; nothing else is installed.

    Raises
    ------
    CommandFailedError
        A package could not be fetched, or is not what the lock says.
    """
    machine = {"arm64": "aarch64", "amd64": "x86_64"}.get(platform.machine(), platform.machine())
    target = f"{machine}-manylinux_2_28"

    def make(folder: Path) -> None:
        progress(f"fetching the Python packages of {lock.stem}")
        options = ["--python-version", PYTHON, "--python-platform", target, "--no-deps", "--require-hashes"]
        command = [find_uv(), "pip", "install", "--quiet", "--python", sys.executable, *options]
        run([*command, "--target", folder, "--requirements", lock], environment={"UV_PYTHON_DOWNLOADS": "never"})
        for pattern in _LEFT_OUT:
            for superfluous in list(folder.glob(pattern)):
                shutil.rmtree(superfluous, ignore_errors=True)
        for record in folder.glob("*.dist-info/RECORD"):
            _forget_programs(record)

    return cached_folder("site-packages", content_key("2", lock, target, PYTHON, *_LEFT_OUT), make)


def _forget_programs(record: Path) -> None:
    """Leave programs, which are not in the images, out of the list of a package's files.

    Their hashes are those of a first line with the path of this machine's Python.
    """
    lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
    record.unlink()  # it may be a hard link to what uv keeps
    record.write_text("".join(line for line in lines if not line.startswith("bin/")), encoding="utf-8")


def maven_sources(project: Path) -> tuple[Path, ...]:
    """The folders that a Maven project is built from: its own, and that of the parent that its pom names."""
    parent = _MAVEN_PARENT.search((project / "pom.xml").read_text(encoding="utf-8"))
    return (project,) if parent is None else (project, project.parent / parent["folder"])


def maven_package(project: Path, progress: Progress = silent) -> Path:
    """A folder with the jar of a Maven project and, in `libs`, the jars it needs at run time.

    Built from a copy, so that a build of the same sources by hand or by a test is not disturbed. The project's tests
    are not run: they have a target of their own.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """

    def make(folder: Path) -> None:
        progress(f"building {project.relative_to(REPOSITORY)} with Maven")
        sources = folder / "source"
        for part in (*parts, REPOSITORY / ".mvn"):
            copy_content(part, sources / part.name)
        source = sources / project.name
        maven: list[str | Path] = ["mvn", "-U", "-q", "-B", "--no-transfer-progress", "-f", source / "pom.xml"]
        libraries = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={folder / 'libs'}"]
        run([*maven, "package", "-Dmaven.test.skip=true", *libraries])
        for jar in (source / "target").glob("*.jar"):
            shutil.copy2(jar, folder / jar.name)
        (folder / "libs").mkdir(exist_ok=True)  # absent where nothing is needed
        shutil.rmtree(sources)

    parts = maven_sources(project)
    return cached_folder("maven", content_key(*parts), make)


def java_interceptors(progress: Progress = silent) -> Path:
    """The jar of the Java interceptors.

    Raises
    ------
    CommandFailedError
        Maven failed; its output is in the message.
    """
    return maven_package(JAVA_INTERCEPTORS, progress) / JAVA_JAR


def cargo_binary(
    package: str, progress: Progress = silent, *, profile: str = RELEASE, workspace: Path = REPOSITORY
) -> Path:
    """A folder with the program of a crate, built from exactly what the lock of its workspace says.

    Parameters
    ----------
    workspace
        The folder of the workspace; one of its own is a crate that uses the observer's.

    Raises
    ------
    CommandFailedError
        Cargo failed; its output is in the message.
    """

    def make(folder: Path) -> None:
        progress(f"building {package} with Cargo")
        own = _packages("observer", *OBSERVER_CRATES)
        build = ["build", "--package", package]
        built = _cargo_build(build, progress, profile=profile, own=own, workspace=workspace)
        shutil.copy2(built / package, folder / package)

    if workspace == REPOSITORY:
        return cached_folder("rust", _rust_key(profile), make)
    sources = [workspace / part for part in ("Cargo.toml", "Cargo.lock", "src")]
    return cached_folder(package, content_key("1", _rust_key(profile), *sources), make)


def cached_binary(*, profile: str) -> Path | None:
    """Return the folder of `cargo_binary` if it has been built already."""
    folder = cache_folder() / "rust" / _rust_key(profile)
    return folder if folder.is_dir() else None


def _rust_key(profile: str) -> str:
    return content_key("3", _rust_profile(profile), *RUST_SOURCES, platform.machine())


def _rust_profile(profile: str) -> str:
    """Return what a profile counts as in keys: programs of a release are built without paths of this machine."""
    return f"{profile}, no paths" if profile == RELEASE else profile


def otlp_decoder(progress: Progress = silent, *, profile: str = RELEASE) -> Path:
    """A folder with the module that reads pushes of clients in Spark's jobs, for this machine and the images.

    Raises
    ------
    CommandFailedError
        Cargo failed; its output is in the message.
    """

    def make(folder: Path) -> None:
        progress(f"building {DECODER_MODULE} with Cargo")
        own = ["--package", "kwitness-otlp"]
        built = _cargo_build(["build", "--features", "python", *own], progress, profile=profile, own=own)
        shutil.copy2(built / "libkwitness_otlp.so", folder / DECODER_MODULE)

    key = content_key("2", _rust_profile(profile), *DECODER_SOURCES, platform.machine())
    return cached_folder("otlp-decoder", key, make)


def librdkafka_plugin(progress: Progress = silent, *, profile: str = RELEASE) -> Path:
    """A folder with the plugin of librdkafka, built for glibc `PLUGIN_GLIBC` by Zig's linker.

    A program that loads it brings a glibc of its own, often an older one than this machine's.

    Raises
    ------
    CommandFailedError
        Cargo or Zig failed; its output is in the message.
    """
    machine = {"arm64": "aarch64", "amd64": "x86_64"}.get(platform.machine(), platform.machine())
    triple = f"{machine}-unknown-linux-gnu"

    def make(folder: Path) -> None:
        progress(f"building {PLUGIN_LIBRARY} with Cargo and Zig")
        own = _packages("interceptors-librdkafka", *PLUGIN_CRATES)
        zig = ["zigbuild", "--package", "kwitness-interceptors-librdkafka", "--lib"]
        zig += ["--target", f"{triple}.{PLUGIN_GLIBC}"]
        built = _cargo_build(zig, progress, program="cargo-zigbuild", profile=profile, own=own, triple=triple)
        shutil.copy2(built / PLUGIN_LIBRARY, folder / PLUGIN_LIBRARY)

    key = content_key("2", _rust_profile(profile), PLUGIN_GLIBC, *PLUGIN_SOURCES, machine)
    return cached_folder("librdkafka-plugin", key, make)


def _cargo_build(
    build: list[str],
    progress: Progress,
    *,
    profile: str,
    own: list[str],
    workspace: Path = REPOSITORY,
    program: str = "cargo",
    triple: str | None = None,
) -> Path:
    """Build in the cache; the folder with what was built."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    options: list[str | Path] = ["--locked", "--profile", profile, "--manifest-path", workspace / "Cargo.toml"]
    with rust_target() as target:
        environment = {"CARGO_TARGET_DIR": str(target), "PATH": path}
        if profile == RELEASE:
            environment["CARGO_ENCODED_RUSTFLAGS"] = flags_without_paths(workspace, target)
        clean = ["cargo", "clean", "--quiet", *(["--target", triple] if triple else []), *own]
        run([*clean, *options], environment=environment)
        units = cargo_units(Measured("crates", progress))
        run([program, *build, *options], environment={**environment, **CARGO_BAR}, on_line=units)
        return target / (triple or "") / profile


def flags_without_paths(workspace: Path, target: Path) -> str:
    """Return flags with which a program has no path of this machine, so that it is the same bytes on each.

    They are for `CARGO_ENCODED_RUSTFLAGS`, with a unit separator between them, since a path may have blanks.
    """
    cargo = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    places = {workspace: "/kwitness", target: "/target", cargo: "/cargo"}
    return "\x1f".join(f"--remap-path-prefix={path}={name}" for path, name in places.items())


def copy_content(source: Path, target: Path, names: Iterable[str] | None = None) -> None:
    """Copy a file or folder without what never counts as content; hard links where the file system allows.

    Parameters
    ----------
    names
        Only these entries of the folder; all without it.
    """
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        _link(str(source), str(target))
        return
    wanted = None if names is None else set(names)

    def left_out(folder: str, entries: list[str]) -> set[str]:
        skipped = {entry for entry in entries if not is_content(entry)}
        if wanted is not None and Path(folder) == source:
            skipped |= set(entries) - wanted
        return skipped

    shutil.copytree(source, target, ignore=left_out, copy_function=_link, dirs_exist_ok=True)


def _link(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
    return target


def find_uv() -> str:
    """The uv beside this Python, else the one on the PATH.

    Raises
    ------
    FileNotFoundError
        There is none.
    """
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if found is None:
        raise FileNotFoundError("uv is neither beside this Python nor on the PATH: run `make setup`")
    return found
