"""Rust crates depend one way, and the modules of each have no circles."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from kwitness.devtools.rust_modules import arrows, circles
from kwitness.devtools.sources import ROOT
from kwitness.images.image_parts import OBSERVER_CRATES, PLUGIN_CRATES

PROTOCOL = "kwitness-protocol"
PLUGIN = "kwitness-interceptors-librdkafka"
SIM = "services/sim/Cargo.toml"
CRATES = ["observation", "observer", "otlp", "protocol", "recording", "reporting", "sim"]

Crates: TypeAlias = Mapping[str, frozenset[str]]


def read_crates(metadata: str) -> Crates:
    """Return the crates of the workspace by name, each with those that it depends on by a path, for tests too."""
    packages = json.loads(metadata)["packages"]
    by_path = {Path(package["manifest_path"]).parent: package["name"] for package in packages}
    return {
        package["name"]: frozenset(
            by_path[Path(dependency["path"])] for dependency in package["dependencies"] if dependency.get("path")
        )
        for package in packages
    }


def closure(crate: str, crates: Crates) -> set[str]:
    """Return the crates of the workspace that this one is compiled with."""
    found: set[str] = set()
    waiting = [crate]
    while waiting:
        new = crates[waiting.pop()] - found
        found |= new
        waiting.extend(new)
    return found


@pytest.fixture(scope="module")
def crates() -> Crates:
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"]
    return read_crates(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def test_the_protocol_depends_on_no_other_crate_of_ours(crates: Crates) -> None:
    assert crates[PROTOCOL] == frozenset()


def test_librdkafkas_plugin_is_compiled_without_the_protocol(crates: Crates) -> None:
    assert PROTOCOL not in closure(PLUGIN, crates)
    assert closure(PLUGIN, crates) == {f"kwitness-{name}" for name in PLUGIN_CRATES}


def test_images_are_built_from_all_crates_of_the_observer(crates: Crates) -> None:
    assert closure("kwitness-observer", crates) == {f"kwitness-{name}" for name in OBSERVER_CRATES}


def test_the_simulation_runs_the_observer_with_the_crates_that_are_shipped() -> None:
    def packages(lock: str) -> dict[str, list[str]]:
        listed = tomllib.loads((ROOT / lock).read_text(encoding="utf-8"))["package"]
        return {f"{package['name']} {package['version']}": package.get("dependencies", []) for package in listed}

    shipped, simulated = packages("Cargo.lock"), packages("services/sim/Cargo.lock")
    found: set[str] = set()
    waiting = ["kwitness-observer"]
    while waiting:
        name = waiting.pop()
        new = {package for package in simulated if f"{package} ".startswith(f"{name} ")} - found
        found |= new
        waiting.extend(dependency for package in new for dependency in simulated[package])

    assert len(found) > 50
    assert found <= shipped.keys()


def test_the_simulation_has_the_profile_whose_builds_it_shares() -> None:
    shipped, simulated = (tomllib.loads((ROOT / name).read_text(encoding="utf-8")) for name in ("Cargo.toml", SIM))

    del simulated["profile"]["quick"]["package"]
    assert simulated["profile"] == shipped["profile"]
    assert "services/sim" in shipped["workspace"]["exclude"]


@pytest.mark.parametrize("crate", CRATES)
def test_modules_have_no_circles(crate: str) -> None:
    found = arrows(ROOT / "services" / crate / "src")

    assert found
    assert [list(map(str, circle)) for circle in circles(found)] == []


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A crate without circles: `above` uses `below` by its own name, and by a re-export of the folder `inner`."""
    files = {
        "lib.rs": "mod above;\nmod below;\nmod inner;\npub use above::Above;\n",
        "above.rs": "use crate::below::Below;\nuse crate::inner::{Deep as Deeper, part};\nfn f() { part::g(); }\n",
        "below.rs": "pub struct Below;\n",
        "inner/mod.rs": "mod deep;\npub mod part;\npub use deep::Deep;\n",
        "inner/deep.rs": "use super::part::g;\npub struct Deep;\n",
        "inner/part.rs": "use crate::below;\npub fn g() {}\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_arrows_lead_to_the_module_that_defines_a_name(source: Path) -> None:
    assert [str(arrow) for arrow in arrows(source)] == [
        "crate::above -> crate::below",
        "crate::above -> crate::inner::deep",
        "crate::above -> crate::inner::part",
        "crate::inner::deep -> crate::inner::part",
        "crate::inner::part -> crate::below",
    ]
    assert circles(arrows(source)) == []


@pytest.mark.parametrize(
    ("file", "line", "within"),
    [
        ("below.rs", "use crate::above::Above;", {"above", "below", "inner"}),
        ("below.rs", "use crate::Above;", {"above", "below", "inner"}),
        ("below.rs", "fn f() { crate::inner::part::g(); }", {"below", "inner"}),
        ("inner/part.rs", "use super::Deep;", {"inner::deep", "inner::part"}),
        ("inner/part.rs", "use super::{\n    deep::{self, Deep},\n};", {"inner::deep", "inner::part"}),
        ("inner/mod.rs", "use part::g;\npub fn f() { g(); }\n", set()),
    ],
)
def test_a_circle_is_found_by_files_and_by_folders(source: Path, file: str, line: str, within: set[str]) -> None:
    (source / file).write_text((source / file).read_text() + line + "\n")

    found = [arrow for circle in circles(arrows(source)) for arrow in circle]

    places = {"::".join(arrow.user) for arrow in found} | {"::".join(arrow.used) for arrow in found}
    assert {place if place in within else place.partition("::")[0] for place in places} == within


def test_tests_and_comments_within_a_module_are_no_arrows(source: Path) -> None:
    text = (
        '// use crate::above::Above;\nconst S: &str = "crate::above";\n#[cfg(test)]\nmod tests {\n use crate::Above;\n}'
    )
    (source / "below.rs").write_text(text)

    assert circles(arrows(source)) == []


def test_a_dependency_by_a_path_is_found_wherever_it_is_declared() -> None:
    def package(name: str, *paths: str) -> dict[str, object]:
        dependencies = [{"name": path, "path": f"/w/{path}", "kind": "dev"} for path in paths]
        return {"name": f"kwitness-{name}", "manifest_path": f"/w/{name}/Cargo.toml", "dependencies": dependencies}

    metadata = {"packages": [package("plugin", "counts"), package("counts", "protocol"), package("protocol")]}
    found = read_crates(json.dumps(metadata))

    assert closure("kwitness-plugin", found) == {"kwitness-counts", "kwitness-protocol"}
