"""Which versions of each API a release of Kafka answers, as a table of contracts: write it, or tell that it is stale.

Usage: `python -m kwitness.devtools.wire.releases [--check]`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from kwitness.contracts.registry_entries import KafkaApi
from kwitness.devtools.wire.definitions import Api, broker_apis
from kwitness.devtools.wire.kafka_clients import OLDEST_CLIENT, RELEASES, definitions_jar

__all__ = ["TABLE", "apis", "main", "table"]

_ROOT = Path(__file__).resolve().parents[5]
TABLE: Final = _ROOT / "contracts/src/kwitness/contracts/tables/kafka_releases.py"

_MODULE: Final = '''\
"""Generated from the message definitions in the jars of Kafka's clients by `make generate`; do not edit."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from typing import Literal

from kwitness.contracts.registry_entries import KafkaApi

KafkaRelease = Literal[{releases}]
"""Minor releases of Kafka whose brokers are known."""
OLDEST_CLIENT = "{client}"
"""The release of the oldest Java clients that are known; it is none whose brokers are."""

ENTRIES: tuple[KafkaApi, ...] = (
    {lines},
)
'''


def apis(releases: Mapping[str, Iterable[Api]]) -> tuple[KafkaApi, ...]:
    """Every API, by its number.

    Parameters
    ----------
    releases
        What each answers, the oldest release first.
    """
    names: dict[int, str] = {}
    versions: dict[int, dict[str, tuple[int, int]]] = {}
    for release, answered in releases.items():
        for api in answered:
            names[api.key] = api.name
            versions.setdefault(api.key, {})[release] = (api.versions.first, api.versions.last)
    return tuple(KafkaApi(number, names[number], versions[number]) for number in sorted(versions))


def table(client: str, releases: Iterable[str], entries: Iterable[KafkaApi]) -> str:
    """The text of the Python module."""
    return _MODULE.format(
        releases=", ".join(f'"{release}"' for release in releases),
        client=client,
        lines=",\n    ".join(_line(entry) for entry in entries),
    )


def _line(entry: KafkaApi) -> str:
    spans = ", ".join(f'"{release}": {span}' for release, span in entry.versions.items())
    return f'KafkaApi({entry.number}, "{entry.name}", {{{spans}}})'


def main(arguments: Sequence[str]) -> int:
    """Write the module; with `--check` only compare, and return 1 when it is stale."""
    client, jar = OLDEST_CLIENT
    jars = {client: jar, **RELEASES}
    found = apis({release: broker_apis(definitions_jar(version)) for release, version in jars.items()})
    text = table(client, RELEASES, found)
    if TABLE.is_file() and TABLE.read_text() == text:
        return 0
    if "--check" in arguments:
        print(f"stale: {TABLE.relative_to(_ROOT)}; run `make generate` and commit", file=sys.stderr)
        return 1
    TABLE.write_text(text)
    print(f"wrote {TABLE.relative_to(_ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
