"""The pages that lead from the proposals' words to ours: what there is for each, checked against the registries."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from kwitness.contracts.client_metrics import CLIENT_METRICS
from kwitness.contracts.own_metrics import OWN_METRICS

from .markdown import code as _code
from .markdown import table as _table

__all__ = ["UnknownNameError", "from_the_proposals", "proposal_metrics"]

_PUSHED: Final = {metric.prometheus_name: metric for metric in CLIENT_METRICS}
_OWN: Final = {metric.name for metric in OWN_METRICS}
_RECORDED: Final = re.compile(r"kwitness:[a-z0-9_:]+")
_METRIC: Final = re.compile(r"`((?:kafka_client|kwitness)_[a-z0-9_]+|kwitness:[a-z0-9_:]+)`")
_HAVE: Final = {
    "same": "pushed",
    "derived": "derived by a recording rule",
    "other": "from elsewhere",
    "none": "not there",
}
_STATE: Final = {
    "yes": "yes",
    "part": "in part",
    "other": "otherwise",
    "kafka": "Kafka's own",
    "no": "no, on purpose",
}


class UnknownNameError(ValueError):
    """A page names a metric that nothing exposes."""


def _read(root: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = yaml.safe_load((root / f"contracts/registry/{name}.yaml").read_text(encoding="utf-8"))
    return rows


def _check(names: Iterator[str] | list[str], place: str) -> None:
    for name in names:
        if name not in _PUSHED and name not in _OWN and not _RECORDED.fullmatch(name):
            raise UnknownNameError(f"{place} names {name}, which nothing exposes")


def _by(metrics: list[str]) -> str:
    senders = {sender for name in metrics if name in _PUSHED for sender in _PUSHED[name].senders}
    return ", ".join(sorted(senders))


def proposal_metrics(root: Path) -> str:
    """Return the page of the metrics in KIP-714's tables.

    Raises
    ------
    UnknownNameError
        A row names a metric that nothing exposes.
    """
    rows = _read(root, "proposal_metrics")
    for row in rows:
        _check([*row["metrics"], *_METRIC.findall(row["what"])], row["name"])
    counts = Counter(row["have"] for row in rows)
    said = ", ".join(f"{counts[have]} {words}" for have, words in _HAVE.items())
    lines = (
        (
            _code(row["name"]),
            _HAVE[row["have"]],
            ", ".join(map(_code, row["metrics"])),
            _by(row["metrics"]),
            row["what"],
        )
        for row in rows
    )
    return (
        "# The metrics of the proposal\n\nKIP-714's text has tables of metrics that clients should send. Kafka adopted "
        "the proposal with other names, and what clients send today is "
        "[another list](metrics.md#of-kafka-clients-kip-714). "
        f"This page has each of the {len(rows)} with what there is for it: {said}. Names of the text follow "
        "`org.apache.kafka.client.`; metrics that begin with `kwitness:` are recording rules of the chart "
        "(`monitoring.prometheusRule.enabled`). A metric is there for clients that push it and "
        "[are asked for it](resources.md#clientmetricssubscription).\n\n"
        + _table(("In the text", "Today", "In Prometheus", "Pushed by", "What to know"), lines)
    )


def from_the_proposals(root: Path) -> str:
    """Return the page with a row for each feature of the five texts.

    Raises
    ------
    UnknownNameError
        A row names a metric that nothing exposes.
    """
    parts = [
        "# From the proposals to kwitness\n\nkwitness began from five proposals for Apache Kafka. This page has their "
        "features in the words of their texts, and what there is for each. Kafka adopted KIP-42, 82, 511 and 714, the "
        "last two in other words than their texts; KIP-388 was never adopted, and KIP-82 without its numbers. In the "
        "second column "
        + ", ".join(
            f"*{_STATE[key]}* {text}"
            for key, text in (
                ("yes", "is there"),
                ("part", "has a limit, which the row names"),
                (
                    "other",
                    "cannot be seen from outside a broker as the text has it, and the row says what we do instead",
                ),
                ("kafka", "is what Kafka or its clients do, and we read or rely on"),
                ("no", "is no goal"),
            )
        )
        + ".\n"
    ]
    for text in _read(root, "proposals"):
        for row in text["rows"]:
            _check(_METRIC.findall(row["what"]), row["word"])
        rows = ((row["word"], _STATE[row["have"]], row["what"]) for row in text["rows"])
        parts += [
            f"\n## {text['title']}\n\n{text['about']}\n\n",
            _table(("In the text", "Here", "What there is"), rows),
        ]
    return "".join(parts)
