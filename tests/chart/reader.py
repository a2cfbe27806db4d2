"""A person in a checkout, with kubectl and Helm on the path, who does what a page says."""

from __future__ import annotations

import os
import re
from pathlib import Path

from kwitness.e2e import binaries
from kwitness.e2e.api_server import ApiServer
from kwitness.images import builder
from kwitness.images.image_parts import REPOSITORY
from kwitness.sandbox.waiting import run_to_end

FILES = ("kafka-ca.crt", "operator.password", "collector.password", "spark.password")
MORE_FILES = ("collector.crt", "collector.key", "collector-ca.crt", "gateway.crt", "gateway.key", "tokens")
NOT_OURS = "apiVersion: cert-manager.io/"
"""Of resources whose definitions no test has."""


class Reader:
    """Types commands and applies resources, on an API server where nothing runs pods."""

    def __init__(self, server: ApiServer, folder: Path) -> None:
        self.server = server
        self._folder = folder
        tools = folder / "bin"
        tools.mkdir()
        for name, command in (("kubectl", binaries.kubectl()), ("helm", binaries.helm())):
            (tools / name).symlink_to(command)
        (folder / "charts").symlink_to(REPOSITORY / "charts")
        (folder / "demo").symlink_to(REPOSITORY / "demo")
        (folder / "images.json").write_text(builder.helm_values({"operator": "registry.example.org/me/operator:1"}))
        for name in (*FILES, *MORE_FILES):
            (folder / name).write_text("content")
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(server.kubeconfig),
            "PATH": f"{tools}:{os.environ['PATH']}",
        }

    def types(self, command: str) -> str:
        done = run_to_end(["bash", "-euo", "pipefail", "-c", command], cwd=self._folder, env=self._environment)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def follows(self, page: str, section: str = "") -> list[str]:
        """Type every command of a page that is for Kubernetes, and apply every resource; what was typed.

        A block with variables is typed as a whole. YAML whose first line is the comment `# NAME.yaml` is a file of that
        name, and YAML without `apiVersion` below any other comment a part, which the page says where to put.
        """
        typed = []
        whole = (REPOSITORY / page).read_text()
        read = whole.partition(f"\n## {section}\n")[2].partition("\n## ")[0] if section else whole
        for language, text in re.findall(r"^ *```(sh|yaml)\n(.*?)^ *```", read, re.MULTILINE | re.DOTALL):
            if language == "yaml":
                self._takes(text)
                continue
            lines = re.sub(r"\\\n\s*", " ", text).splitlines()
            if any(re.match(r"[A-Z_]+=", line) for line in lines):
                self.types(text)
                typed += lines
                continue
            for command in lines:
                if re.match(r"\s*(kubectl|helm) ", command):
                    self.types(command)
                    typed.append(command.split("#")[0].strip())
        return typed

    def _takes(self, text: str) -> None:
        if named := re.match(r"# ([\w-]+\.yaml)\n", text):
            (self._folder / named.group(1)).write_text(text)
        elif not text.startswith("# ") and NOT_OURS not in text:
            self.server.await_definitions()
            self.server.kubectl("apply", "--filename=-", input=text)
