"""Writes what a release leaves in a cluster into `releases/VERSION`, in place of the release before.

`python -m tests.upgrade.write_release DIST` has the chart of a release that `make release OUT=DIST` made, installs it
on an API server, and runs the operator of these sources, which are those of the release.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

import yaml

from kwitness.e2e.api_server import ApiServer

from tests.upgrade.broker import upgraded_broker
from tests.upgrade.installation import Installation
from tests.upgrade.promises import PROMISED, promises
from tests.upgrade.snapshot import RELEASES, Snapshot

_RESOURCES = Path(__file__).with_name("resources.yaml")


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dist", type=Path, metavar="DIST", help="the folder of a release")
    [package] = (parser.parse_args().dist / "charts").glob("kwitness-[0-9]*.tgz")
    version = package.stem.removeprefix("kwitness-")
    with (
        ApiServer() as server,
        upgraded_broker() as broker,
        tempfile.TemporaryDirectory() as scratch,
    ):
        installation = Installation(server, Path(scratch))
        installation.install(package)
        server.objects.apply(*yaml.safe_load_all(_RESOURCES.read_text(encoding="utf-8")))
        installation.operate()
        shutil.rmtree(RELEASES, ignore_errors=True)
        folder = RELEASES / version
        folder.mkdir(parents=True)
        shutil.copy(package, folder)
        Snapshot.from_installation(folder, installation, broker).save()
        (folder / PROMISED).write_text("\n".join(sorted(promises())) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
