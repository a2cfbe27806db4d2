"""The plugin, and what it is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from kwitness.contracts.interceptor_settings import (
    OFF_VARIABLE,
    POD_NAME_VARIABLE,
    POD_NAMESPACE_VARIABLE,
    SETTINGS_VARIABLE,
    InterceptorSettings,
)
from kwitness.images.image_parts import PLUGIN_LIBRARY, QUICK, REPOSITORY, librdkafka_plugin, site_packages
from kwitness.sandbox.waiting import communicate

PROGRAMS: Final = Path(__file__).with_name("programs")
LOCKS: Final = REPOSITORY / "demo/images/demo-python/locks"
EVERYTHING: Final = ("Audit", "Latency", "Sizes", "Cardinality", "Stats")
RELEASES: Final = ("confluent-2.5.0", "confluent-2.10.1", "confluent-2.16.1")


def built_plugin() -> Path:
    """The library as images of the node have it."""
    return librdkafka_plugin(profile=QUICK) / PLUGIN_LIBRARY


@dataclass
class Intercepted:
    """A program that runs with the plugin."""

    plugin: Path
    settings: Path
    environment: dict[str, str] = field(default_factory=dict)

    def tell(self, url: str | None, **changes: Any) -> InterceptorSettings:
        """Write the settings file; windows are as short as they may be."""
        token = self.settings.with_name("token")
        token.write_text("secret-token")
        content = {
            "installation": "kwitness",
            "cluster_id": "4L6g3nShT-eMCtK--X86sw",
            "namespace": "shop",
            "name": "orders",
            "suspend": False,
            "interceptors": [
                {"type": type_, "name": type_.lower(), **({"window_ms": 1000} if type_ == "Cardinality" else {})}
                for type_ in EVERYTHING
            ],
            "window_ms": 1000,
            "collector": url and {"url": url, "replicas": 1, "token_file": str(token)},
        } | changes
        settings = InterceptorSettings.model_validate(content)
        partial = self.settings.with_suffix(".partial")
        partial.write_text(settings.model_dump_json())
        partial.rename(self.settings)
        return settings

    def start(
        self, command: Sequence[str | Path], *, lock: str | None = None, **environment: str
    ) -> subprocess.Popen[str]:
        """Start a program; `lock` names the packages that it imports, instead of this environment's."""
        path = {"PYTHONPATH": str(site_packages(LOCKS / f"{lock}.txt"))} if lock else {}
        variables = {
            SETTINGS_VARIABLE: str(self.settings),
            POD_NAMESPACE_VARIABLE: "shop",
            POD_NAME_VARIABLE: "orders-1",
        }
        own = {name: value for name, value in os.environ.items() if name != OFF_VARIABLE}
        return subprocess.Popen(
            command,
            env={**own, **variables, **path, **self.environment, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, program: str, *arguments: str, lock: str | None = None, **environment: str) -> Mapping[str, Any]:
        """Run one of `programs` to its end, and take what it says of itself."""
        command: list[str | Path] = [sys.executable, PROGRAMS / f"{program}.py", str(self.plugin), *arguments]
        return said(self.start(command, lock=lock, **environment))


def said(process: subprocess.Popen[str]) -> Mapping[str, Any]:
    """The last line that a program prints.

    Raises
    ------
    AssertionError
        It failed, with what it wrote.
    """
    try:
        out, errors = communicate(process)
    finally:
        process.kill()
    assert process.returncode == 0, f"{process.args!r} ended with {process.returncode}: {out} {errors}"
    content: Mapping[str, Any] = json.loads(out.splitlines()[-1])
    return content
