"""Reference pages of what is not in contracts: write them, or tell that they are stale.

Usage: `python -m kwitness.devtools.reference [--check]`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from kwitness.console.pod.settings import DEFAULT_SETTINGS_FILE as CONSOLE_SETTINGS_FILE
from kwitness.console.pod.settings import ConsoleSettings
from kwitness.devtools.command_reference import command_page
from kwitness.devtools.image_reference import images_page
from kwitness.devtools.table_reference import tables_page
from kwitness.devtools.tenant_reference import tenants_page
from kwitness.e2e.kafka.broker_plugin import plugin_jar
from kwitness.e2e.kafka.jars import KAFKA_VERSIONS, kafka_jars
from kwitness.images.commands import run
from kwitness.injector.settings import DEFAULT_SETTINGS_FILE as INJECTOR_SETTINGS_FILE
from kwitness.injector.settings import InjectorSettings
from kwitness.operator.settings import DEFAULT_SETTINGS_FILE, OperatorSettings

__all__ = [
    "BROKER_PLUGIN_PAGE",
    "COMMAND_PAGE",
    "CONSOLE_PAGE",
    "IMAGES_PAGE",
    "INJECTOR_PAGE",
    "OPERATOR_PAGE",
    "TABLES_PAGE",
    "TENANTS_PAGE",
    "broker_plugin_page",
    "console_page",
    "injector_page",
    "main",
    "operator_page",
]

_ROOT = Path(__file__).resolve().parents[4]
BROKER_PLUGIN_PAGE = _ROOT / "docs" / "reference" / "broker-plugin.md"
COMMAND_PAGE = _ROOT / "docs" / "reference" / "command.md"
CONSOLE_PAGE = _ROOT / "docs" / "reference" / "console-settings.md"
IMAGES_PAGE = _ROOT / "docs" / "reference" / "images.md"
INJECTOR_PAGE = _ROOT / "docs" / "reference" / "injector-settings.md"
OPERATOR_PAGE = _ROOT / "docs" / "reference" / "operator-settings.md"
TABLES_PAGE = _ROOT / "docs" / "reference" / "tables.md"
TENANTS_PAGE = _ROOT / "docs" / "reference" / "tenants.md"


def broker_plugin_page() -> str:
    """The broker plugin's page, from its configuration definitions.

    Raises
    ------
    CommandFailedError
        The plugin could not be built or run.
    """
    classpath = f"{plugin_jar()}:{kafka_jars(KAFKA_VERSIONS[-1])}/*"
    return run(["java", "-cp", classpath, "dev.kwitness.broker.ReferencePage"])


def operator_page() -> str:
    """The operator's page, from the model of its settings."""
    return _settings_page("operator", OperatorSettings, DEFAULT_SETTINGS_FILE)


def console_page() -> str:
    """The page of the console's pod, from the model of its settings."""
    return _settings_page("console", ConsoleSettings, CONSOLE_SETTINGS_FILE, program="kwitness.console.pod")


def injector_page() -> str:
    """The injector's page, from the model of its settings."""
    return _settings_page("injector", InjectorSettings, INJECTOR_SETTINGS_FILE)


def _settings_page(component: str, model: type[BaseModel], file: Path, *, program: str = "") -> str:
    intro = (
        f"One JSON file, `{file}`, read once at the start. The chart writes it from its values (see"
        " [the chart](../../charts/kwitness/README.md)); a field that is not listed here is refused. Without the chart:"
        f" `python -m {program or f'kwitness.{component}'} settings.json`, with `KUBECONFIG` set."
    )
    rows = [
        f"| `{name}` | {default} | {text.replace('|', chr(92) + '|')} |" for name, default, text in _settings(model)
    ]
    return "\n".join(
        (
            f"<!-- Generated from the {component}'s settings by `make generate`; do not edit. -->",
            "",
            f"# The {component}'s settings",
            "",
            intro,
            "",
            "| Setting | Default | Meaning |",
            "|---|---|---|",
            *rows,
            "",
        )
    )


def _settings(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield path, default and meaning of every setting."""
    for field in model.model_fields.values():
        name = f"{path}{field.alias}"
        models = [kind for kind in (field.annotation, *get_args(field.annotation)) if _is_model(kind)]
        if not models or field.default is None:
            yield name, _default(field), field.description or ""
        for found in models:
            yield from _settings(found, f"{name}.")


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**required**"
    default: Any = field.get_default(call_default_factory=True, validated_data={})
    return f"`{json.dumps(default, default=str)}`"


_PAGES: Mapping[Path, Callable[[], str]] = {
    BROKER_PLUGIN_PAGE: broker_plugin_page,
    COMMAND_PAGE: command_page,
    OPERATOR_PAGE: operator_page,
    INJECTOR_PAGE: injector_page,
    CONSOLE_PAGE: console_page,
    IMAGES_PAGE: images_page,
    TABLES_PAGE: tables_page,
    TENANTS_PAGE: tenants_page,
}


def main(arguments: list[str]) -> int:
    """Write the pages; with `--check` only compare, and return 1 when one is stale."""
    check, stale = "--check" in arguments, 0
    for path, page in _PAGES.items():
        text = page()
        if path.is_file() and path.read_text() == text:
            continue
        stale += 1
        if check:
            print(f"stale: {path.relative_to(_ROOT)}; run `make generate` and commit", file=sys.stderr)
        else:
            path.write_text(text)
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
