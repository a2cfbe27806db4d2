"""Constants of a HeaderRegistry: both languages take what is written, and find the register's names, ids and types."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from kwitness.cli.header_constants import constant_names
from kwitness.cli.header_register import TYPES, Register, RegisteredHeader
from kwitness.contracts.header_rules import HeaderType as TypeName
from kwitness.images.image_parts import REPOSITORY, maven_package
from kwitness.sandbox.waiting import run_to_end

TYPED = [
    {"name": f"of.{name.lower()}", "id": 1_245_184 + place, "type": name, "description": f"A {name}."}
    for place, name in enumerate(TYPES)
]
STRANGE = [
    {"name": "__TypeId__", "type": "String", "description": r'Ends no comment: */ {@code x} """ \u002a/ \users <b>"ü"'},
    {"name": '"\\u0041\\', "type": "String", "description": "Quotation marks and\nbackslashes."},
    {"name": "7th$key", "type": "Bytes", "description": "", "deprecated": "use of.bytes */"},
    {"name": "HTTPStatus2xx", "type": "Int32", "description": "2xx."},
]
REGISTER: dict[str, Any] = {
    "apiVersion": "kwitness.dev/v1beta1",
    "kind": "HeaderRegistry",
    "metadata": {"name": "shop-orders", "namespace": "shop"},
    "spec": {"keys": [*TYPED, *STRANGE]},
}
CONSTANTS = {
    "__TypeId__": "TYPE_ID",
    '"\\u0041\\': "U0041",
    "7th$key": "KEY_7TH_KEY",
    "HTTPStatus2xx": "HTTP_STATUS2_XX",
    **{f"of.{name.lower()}": f"OF_{name.upper()}" for name in TYPES},
}
READS_BACK = """
import dev.kwitness.headers.HeaderKey;

/** Shows what constants are. */
public final class Shown {
    public static void main(String[] arguments) {
        for (HeaderKey<?> key : com.shop.ShopOrdersHeaders.KEYS) {
            System.out.println(key.name() + "\\t" + key.type() + "\\t" + (key.hasId() ? key.id() : -1));
        }
        HeaderKey<Long> typed = com.shop.ShopOrdersHeaders.OF_TIMESTAMP;
        byte[] written = typed.type().encode(7L);
        System.out.println(written.length);
    }
}
"""


def generate(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kwitness.cli", "generate", "headers", *arguments]
    return run_to_end(command, input_text=given)


def refused(change: dict[str, Any], *arguments: str) -> str:
    done = generate("-", "--language", "python", *arguments, given=json.dumps({**REGISTER, **change}))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_the_types_are_those_of_the_contract() -> None:
    assert get_args(TypeName) == TYPES


@pytest.mark.parametrize("written", [json.dumps, yaml.safe_dump], ids=["JSON", "YAML"])
def test_python_reads_the_constants(tmp_path: Path, written: Any) -> None:
    (tmp_path / "register").write_text(written(REGISTER))
    module = tmp_path / "shop_headers.py"
    done = generate(str(tmp_path / "register"), "--language", "python", "--to", str(module))
    assert (done.returncode, done.stderr) == (0, "")
    spec = importlib.util.spec_from_file_location("shop_headers", module)
    assert spec is not None
    assert spec.loader is not None
    constants = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(constants)

    found = {key.name: (key.type.name, key.id) for key in constants.KEYS}
    assert found == {one["name"]: (one["type"], one.get("id")) for one in REGISTER["spec"]["keys"]}
    assert {key: getattr(constants, name).name for key, name in CONSTANTS.items()} == {key: key for key in CONSTANTS}
    assert constants.OF_TIMESTAMP.type.encode(7) == b"\0\0\0\0\0\0\0\7"


@pytest.mark.slow
def test_the_type_checker_knows_the_types_of_the_constants(tmp_path: Path) -> None:
    module, program = tmp_path / "shop_headers.py", tmp_path / "program.py"
    generate("-", "--language", "python", "--to", str(module), given=json.dumps(REGISTER))
    program.write_text(
        "from kwitness_interceptors.headers import HeaderWriter\n"
        "from shop_headers import OF_INT64, OF_STRING\n"
        "HeaderWriter().set(OF_STRING, 'shop')\n"
        "HeaderWriter().set(OF_INT64, 'shop')\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(program)]
    done = run_to_end(
        command, cwd=tmp_path, env={"MYPYPATH": f"{tmp_path}:{REPOSITORY / 'services/interceptors-python/src'}"}
    )

    assert [line.partition(": ")[0] for line in done.stdout.splitlines() if "error" in line][:1] == ["program.py:4"]
    assert "Found 1 error in 1 file" in done.stdout


@pytest.mark.slow
def test_java_compiles_and_reads_the_constants(tmp_path: Path) -> None:
    jar = maven_package(REPOSITORY / "services" / "headers-java") / "kwitness-headers.jar"
    source = tmp_path / "com/shop/ShopOrdersHeaders.java"
    source.parent.mkdir(parents=True)
    options = ["--language", "java", "--package", "com.shop", "--to", str(source)]
    assert generate("-", *options, given=json.dumps(REGISTER)).returncode == 0
    (tmp_path / "Shown.java").write_text(READS_BACK)

    path = f"{jar}:{tmp_path}"
    lint = ["-Xlint:all,-options", "-Xdoclint:all,-missing", "-Werror", "--release", "8", "-encoding", "UTF-8"]
    compiled = run_to_end(["javac", *lint, "-cp", path, "-d", tmp_path, source, tmp_path / "Shown.java"])
    assert (compiled.returncode, compiled.stderr) == (0, "")
    shown = run_to_end(["java", "-cp", path, "Shown"], check=True)

    assert shown.stdout.splitlines() == [
        *(f"{one['name']}\t{one['type']}\t{one.get('id', -1)}" for one in REGISTER["spec"]["keys"]),
        "8",
    ]
    assert "@Deprecated" in source.read_text()


@pytest.mark.parametrize("language", ["python", "java"])
def test_a_register_without_keys_has_no_constants(language: str) -> None:
    done = generate("-", "--language", language, given=json.dumps({**REGISTER, "spec": {}}))

    assert done.returncode == 0
    assert "KEYS" in done.stdout
    if language == "python":
        compile(done.stdout, "constants.py", "exec")


def test_ids_that_the_cluster_gave_are_those_of_the_constants() -> None:
    keys = [{"name": "app.name", "type": "String", "description": "Who sent it."}]
    change = {"spec": {"keys": keys, "idRange": "LocalApplication"}}
    given = {**REGISTER, **change, "status": {"ids": [{"name": "app.name", "id": 1_245_190}]}}

    done = generate("-", "--language", "python", given=json.dumps(given))

    assert 'APP_NAME = HeaderKey("app.name", STRING, 1245190)' in done.stdout
    assert "says nothing yet of the ids that app.name get from spec.idRange: apply it" in refused(change)


def test_a_constant_can_be_chosen() -> None:
    keys = [{"name": name, "type": "String", "description": name} for name in ("a.b", "a-b", "keys", "=!")]
    change = {"spec": {"keys": keys}}
    chosen = ["--constant", "a-b=A_DASH_B", "--constant", "keys=ALL_KEYS", "--constant", "=!=SIGNS"]

    assert "a-b would be A_B, which is a.b: choose another by `--constant a-b=SOME_NAME`" in refused(change)
    assert "keys would be KEYS, which is the list of all" in refused(change, *chosen[:2])
    assert "=! cannot be the constant ''" in refused(change, *chosen[:4])
    assert "=! cannot be the constant 'signs'" in refused(change, *chosen[:4], "--constant", "=!=signs")
    assert "has no key b: name one that it has" in refused(change, "--constant", "b=B")
    done = generate("-", "--language", "python", *chosen, given=json.dumps({**REGISTER, **change}))
    assert 'SIGNS = HeaderKey("=!", STRING)' in done.stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "KafkaCluster"}, "is no HeaderRegistry but KafkaCluster: give one"),
        ({"kind": "List"}, "is no HeaderRegistry but List: give one"),
        ({"metadata": {}}, "has no metadata.name"),
        ({"spec": []}, None),
        ({"spec": "keys"}, "spec is no object"),
        ({"spec": {"keys": {"a": 1}}}, "keys is no list of objects"),
        ({"spec": {"keys": ["a"]}}, "keys is no list of objects"),
        ({"spec": {"keys": [{"name": "a b", "type": "String"}]}}, "has a key 'a b': give 1 to 128 printable"),
        ({"spec": {"keys": [{"type": "String"}]}}, "has a key None: give"),
        ({"spec": {"keys": [{"name": "a", "type": "Float"}]}}, "a has the type 'Float': give one of String, Bytes"),
        ({"spec": {"keys": [{"name": "a", "type": "Json", "id": -1}]}}, "a has the id -1: give a whole number"),
        ({"spec": {"keys": [{"name": "a", "type": "Json", "id": True}]}}, "a has the id True: give a whole number"),
        ({"spec": {"keys": [{"name": "a", "type": "Json"}] * 2}}, "has two keys with the name a: give each its own"),
        (
            {"spec": {"keys": [{"name": name, "type": "Json", "id": 7} for name in "ab"]}},
            "has two keys with the id 7: give each its own",
        ),
        (
            {"status": {"taken": [{"key": "app.name", "by": "shop/orders"}]}},
            "has keys that somebody else has: app.name (shop/orders); take them out",
        ),
    ],
)
def test_what_is_no_register_is_refused_with_what_is_wrong(change: dict[str, Any], message: str | None) -> None:
    if message is None:
        assert generate("-", "--language", "java", given=json.dumps({**REGISTER, **change})).returncode == 0
    else:
        assert message in refused(change)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path) -> None:
    absent = generate(str(tmp_path / "absent"), "--language", "java")
    unwritable = generate("-", "--language", "java", "--to", str(tmp_path), given=json.dumps(REGISTER))
    neither = generate("-", "--language", "java", given="{a: [")

    assert [one.returncode for one in (absent, unwritable, neither)] == [1, 1, 1]
    assert "absent cannot be read" in absent.stderr
    assert "cannot be written (Is a directory)" in unwritable.stderr
    assert "is neither JSON nor one document of YAML" in neither.stderr


def test_without_pyyaml_json_is_read_and_yaml_asked_for_by_name(tmp_path: Path) -> None:
    (tmp_path / "yaml.py").write_text("raise ImportError('none here')")
    command = [sys.executable, "-m", "kwitness.cli", "generate", "headers", "-", "--language", "python"]
    environment = {"PYTHONPATH": str(tmp_path)}
    written = (json.dumps(REGISTER), yaml.safe_dump(REGISTER))
    from_json, from_yaml = (run_to_end(command, input_text=one, env=environment) for one in written)

    assert from_json.returncode == 0
    assert "OF_STRING" in from_json.stdout
    assert from_yaml.returncode == 1
    assert "to read YAML PyYAML is needed: `pip install PyYAML`, or give JSON: `kubectl get" in from_yaml.stderr


@pytest.mark.parametrize("options", [("--package", "com..shop"), ("--package", "com.7"), ("--class", "a b")])
def test_what_is_no_name_in_java_is_refused(options: tuple[str, str]) -> None:
    done = generate("-", "--language", "java", *options, given=json.dumps(REGISTER))

    assert done.returncode == 1
    assert "is no name in Java" in done.stderr


def test_constants_are_the_words_of_keys() -> None:
    keys = tuple(RegisteredHeader(name, "String", None, "", "") for name in CONSTANTS)

    assert constant_names(Register("shop", keys), {}) == CONSTANTS
