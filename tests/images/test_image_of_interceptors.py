"""What the image of interceptors is made of is what the injector copies out of it, and what runtimes then find."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kwitness.contracts.interceptor_injections import INTERCEPTORS_FILES, JAVA_AGENT, PYTHON_FOLDER
from kwitness.images import container_engine
from kwitness.images.builder import build_all
from kwitness.images.image_parts import JAVA_JAR
from kwitness.images.image_recipes import DEVELOPED, copy_python_interceptors
from kwitness.injector.decision.interceptor_files import files_container
from kwitness.sandbox.waiting import run_to_end

from tests.injector.interceptor_samples import interceptors

NAME = "interceptors"


def test_a_program_in_python_finds_interceptors_where_the_image_has_them(tmp_path: Path) -> None:
    folder = tmp_path / PYTHON_FOLDER.lstrip("/")
    copy_python_interceptors(folder)
    asked = "import sys; print(sys.modules['kwitness_interceptors'].__file__)"

    told = run_to_end([sys.executable, "-B", "-c", asked], env={"PYTHONPATH": str(folder)}, check=True)

    assert told.stdout.strip() == str(folder / "kwitness_interceptors" / "__init__.py")


def test_java_is_told_of_the_jar_that_the_image_has() -> None:
    assert f"{INTERCEPTORS_FILES}/java/{JAVA_JAR}" == JAVA_AGENT


@pytest.mark.node  # it needs a container engine
def test_the_init_container_copies_them_as_a_user_without_rights_from_an_image_that_is_not_written_to() -> None:
    reference = build_all({NAME: DEVELOPED[NAME]})[NAME]
    container = files_container(interceptors(), frozenset({"python", "java", "librdkafka"}), bounded=False)
    shell, option, copying = container["command"]
    [mount] = container["volumeMounts"]
    target = mount["mountPath"]
    bounds = ("--read-only", "--cap-drop=ALL", f"--tmpfs={target}", f"--entrypoint={shell}")

    told = container_engine.docker(
        "run", "--rm", *bounds, reference, option, f"{copying}; id -u; cd {target} && find . -type f"
    )

    user, *files = told.splitlines()
    assert user == "65532"
    python = {"./python/sitecustomize.py", "./python/kwitness_interceptors/__init__.py"}
    assert python | {f"./java/{JAVA_JAR}", "./lib/libkwitness.so"} <= set(files)
