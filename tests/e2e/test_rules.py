"""Each alert fires when it must and only then: its cases run through promtool, which the pod of Prometheus has."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

from kwitness.demo.platform import NAMESPACE, PROMETHEUS, Platform
from kwitness.e2e import chart

ROOT = Path(__file__).resolve().parents[2]
RULES = sorted((chart.CHART / "rules").glob("*.yaml"))
CASES = sorted((ROOT / "tests" / "e2e" / "rules").glob("*.yaml"))
# The pod's root file system is read-only; Prometheus leaves folders alone that are no blocks of its data.
PROGRAM = """
set -e
folder=$(mktemp -d -p /prometheus)
trap 'rm -r "$folder"' EXIT
tar -x -C "$folder"
cd "$folder"
TMPDIR=$folder promtool test rules "$@" 2>&1
"""


def archive(*files: Path) -> str:
    """A tar file as text, with the paths that the files have in the checkout: cases name the rules by theirs."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for file in files:
            tar.add(file, arcname=file.relative_to(ROOT))
    return buffer.getvalue().decode()


def test_rules_fire_as_their_cases_say(platform: Platform) -> None:
    names = [str(file.relative_to(ROOT)) for file in CASES]

    shell = ("exec", "-i", f"deployment/{PROMETHEUS}", f"--namespace={NAMESPACE}", "--", "sh", "-c", PROGRAM, "sh")
    said = platform.cluster.kubectl(*shell, *names, input=archive(*RULES, *CASES))

    assert said.count("SUCCESS") == len(CASES) > 0
