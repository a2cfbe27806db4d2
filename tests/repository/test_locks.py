"""The locks fit what `pyproject.toml` asks for, and tests run what the images hold. `make lock` writes them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
COMPONENTS = ("operator", "collector", "injector", "observer-host", "console-server", "spark", "command", "try")


def pinned(name: str) -> dict[str, Version]:
    """Package to version in a lock."""
    lines = (ROOT / "locks" / f"{name}.txt").read_text().splitlines()
    found = (re.match(r"([\w.\[\]-]+)==([^\s;]+)", line) for line in lines)
    return {canonicalize_name(one.group(1).partition("[")[0]): Version(one.group(2)) for one in found if one}


def with_their_parts(texts: list[str]) -> list[str]:
    """Requirements without extras of our own, in whose place stands what they are made of."""
    parts: list[str] = []
    for text in texts:
        package = Requirement(text)
        if package.name == PROJECT["project"]["name"]:
            parts += [part for extra in package.extras for part in with_their_parts(EXTRAS[extra])]
        else:
            parts.append(text)
    return parts


def unmet(texts: list[str], lock: dict[str, Version]) -> list[str]:
    requirements = [Requirement(text) for text in with_their_parts(texts)]
    return [
        str(package)
        for package in requirements
        if canonicalize_name(package.name) not in lock or lock[canonicalize_name(package.name)] not in package.specifier
    ]


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_components_lock_meets_what_it_asks_for(component: str) -> None:
    assert unmet(EXTRAS[component], pinned(component)) == []


def test_the_developers_lock_meets_everything() -> None:
    groups = PROJECT["dependency-groups"]
    everything = [text for part in (*EXTRAS.values(), *groups.values()) for text in part]

    assert unmet(everything, pinned("dev")) == []


@pytest.mark.parametrize("component", COMPONENTS)
def test_tests_run_the_versions_that_the_image_holds(component: str) -> None:
    developers = pinned("dev")

    assert {name: version for name, version in pinned(component).items() if developers.get(name) != version} == {}


def test_the_makefile_installs_the_uv_that_the_lock_pins() -> None:
    (version,) = re.findall(r"^UV_VERSION := (\S+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert pinned("dev")["uv"] == Version(version)


def test_the_operators_image_is_without_the_official_client_which_kopf_would_load() -> None:
    assert "kubernetes" not in pinned("operator")
