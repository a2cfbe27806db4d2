"""Finds names of the machine in the repository: its folders, its host name, and hosts that its package clients use."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

__all__ = ["hosts_in", "machine_names", "occurrences", "settings_files"]

_PUBLIC: Final = (
    "apache.org",
    "crates.io",
    "debian.org",
    "docker.com",
    "docker.io",
    "gcr.io",
    "ghcr.io",
    "github.com",
    "golang.org",
    "google.com",
    "googleapis.com",
    "k8s.io",
    "maven.org",
    "nodesource.com",
    "npmjs.org",
    "pypi.org",
    "pythonhosted.org",
    "quay.io",
    "ubuntu.com",
    "w3.org",
)
"""Domains of registries that everybody uses; the others are mirrors that only some can reach."""
_VARIABLES: Final = (
    *("CARGO_", "GO", "MAVEN_", "NPM_CONFIG_", "PIP_", "UV_", "npm_config_"),
    *("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"),
)
_HOST: Final = re.compile(r"[a-z][a-z+]*://(?:[^\s/@\"'<>]*@)?([A-Za-z0-9][A-Za-z0-9.-]*)")
_LEAST_HOST_NAME: Final = 8
"""Characters of a host name that is searched for: a shorter one may be a word."""


def hosts_in(text: str) -> set[str]:
    """Return the hosts of the URLs in a text, without users, passwords and public registries."""
    found = {host.rstrip(".").lower() for host in _HOST.findall(text)}
    return {
        host
        for host in found
        if host != "localhost"
        and not host.startswith("127.")
        and not any(host == public or host.endswith(f".{public}") for public in _PUBLIC)
    }


def settings_files(home: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return where package clients have their settings: pip, uv, Cargo, npm, Maven, Go, apt, Docker."""
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    cargo = Path(environment.get("CARGO_HOME") or home / ".cargo")
    named = [
        Path(environment[name]) for name in ("PIP_CONFIG_FILE", "UV_CONFIG_FILE", "GOENV") if environment.get(name)
    ]
    return [
        *named,
        *(folder / "pip.conf" for folder in (Path("/etc"), home / ".pip", config / "pip", Path(sys.prefix))),
        *(folder / "uv/uv.toml" for folder in (Path("/etc"), config)),
        *(cargo / name for name in ("config", "config.toml")),
        *(home / ".npmrc", Path("/etc/npmrc"), Path("/usr/etc/npmrc"), Path("/usr/local/etc/npmrc")),
        *(home / ".m2/settings.xml", config / "go/env", Path("/etc/docker/daemon.json"), Path("/etc/apt/sources.list")),
        *sorted(Path("/etc/apt/sources.list.d").glob("*")),
    ]


def machine_names(root: Path, home: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what must not be in the repository: the name, and where the machine has it from."""
    names = {}
    for folder, origin in (
        (home, "the home folder"),
        *((path, "the checkout's folder") for path in (root, *root.parents)),
    ):
        # One with a single part, such as /root, may be meant in a container.
        if Path(folder.anchor) not in {folder, folder.parent} and not folder.is_relative_to("/tmp"):  # noqa: S108
            names[str(folder)] = origin
    if len(socket.gethostname()) >= _LEAST_HOST_NAME:
        names[socket.gethostname()] = "the host name"
    for path in settings_files(home, environment):
        names |= dict.fromkeys(hosts_in(_text(path)), str(path))
    for variable, value in environment.items():
        if variable.startswith(_VARIABLES):
            names |= dict.fromkeys(hosts_in(value), f"the variable {variable}")
    return names


def occurrences(root: Path, names: Mapping[str, str]) -> list[str]:
    """Return the places in files that git has or would add, Cargo.lock left out, as ``file:line: origin``.

    Neither the name nor the line is shown: a host may be a secret, and credentials may be beside it.
    """
    command = [
        "git",
        "grep",
        "--untracked",
        "--line-number",
        "--null",
        "-I",
        "-i",
        "-F",
        "-f",
        "-",
        "--",
        ".",
        ":!*Cargo.lock",
    ]
    if not names:
        return []
    done = subprocess.run(command, cwd=root, input="\n".join(names).encode(), capture_output=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(f"git grep failed: {done.stderr.decode()}")
    return sorted(set(_whole(done.stdout.decode(errors="replace").splitlines(), names)))


def _whole(lines: Iterable[str], names: Mapping[str, str]) -> Iterator[str]:
    """Whole names alone: /home/a is not in /home/another."""
    patterns = {
        re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", re.IGNORECASE): origin
        for name, origin in names.items()
    }
    for line in lines:
        file, number, text = line.split("\0", 2)
        for pattern, origin in patterns.items():
            if pattern.search(text):
                yield f"{file}:{number}: {origin}"


def _text(path: Path) -> str:
    """Return a file's text; one that is not there or may not be read says nothing."""
    try:
        text = path.read_text(errors="replace")
    except OSError:
        return ""
    if path.name == "settings.xml":
        # The others are names of XML schemas.
        return " ".join(re.findall(r"<url>(.*?)</url>", text, re.DOTALL))
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
