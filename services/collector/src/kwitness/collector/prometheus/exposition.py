"""The two text formats: Prometheus 0.0.4 and OpenMetrics 1.0.

Together with `otlp.decode` this is the seam that a native core can take over.
"""

from __future__ import annotations

import math
from collections import Counter as Tally
from collections.abc import Iterable, Iterator
from typing import Final

from kwitness.collector.core import ZeroPeriod
from kwitness.collector.prometheus.families import Family
from kwitness.collector.prometheus.labels import escape_help
from kwitness.collector.prometheus.series import Counter, Gauge, Histogram, Series
from kwitness.contracts.own_metrics import own_metric

TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_LINES_PER_PIECE: Final = 2_000
INSTANCES: Final = "kwitness_client_instances"


def number(value: float) -> str:
    """Write a value as both formats want it."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(value)


def heading(name: str, type_: str, help_: str, *, openmetrics: bool) -> str:
    """Write HELP and TYPE; ``name`` is that of the samples, from which OpenMetrics takes ``_total`` away."""
    family = name.removesuffix("_total") if openmetrics and type_ == "counter" else name
    text = escape_help(help_)
    if openmetrics:
        text = text.replace('"', '\\"')
    return f"# HELP {family} {text}\n# TYPE {family} {type_}\n"


def sample(name: str, labels: str, value: float) -> str:
    """Write one sample; ``labels`` come without braces."""
    return f"{name}{{{labels}}} {number(value)}\n" if labels else f"{name} {number(value)}\n"


def render_family(family: Family, other_labels: str, zeros: ZeroPeriod, *, openmetrics: bool) -> Iterator[bytes]:
    """Write a family in pieces of some thousand lines; one without series is left out."""
    if not family.series and family.other is None:
        return
    name = f"{family.name}_total" if family.type == "counter" else family.name
    lines = [heading(name, family.type, family.help, openmetrics=openmetrics)]
    # A copy: between two pieces a slow reader lets others in, who add and end series.
    for (identity, attributes), series in list(family.series.items()):
        labels = f"{identity},{attributes}" if identity and attributes else identity or attributes
        lines.append(_series(family, name, labels, series, zeros))
        if len(lines) >= _LINES_PER_PIECE:
            yield "".join(lines).encode("utf-8", "replace")
            lines.clear()
    if family.other is not None:
        lines.append(_series(family, name, other_labels, family.other, zeros))
    yield "".join(lines).encode("utf-8", "replace")


def _series(family: Family, name: str, labels: str, series: Series, zeros: ZeroPeriod) -> str:
    match series:
        case Counter():
            return counter_sample(name, labels, series, zeros, family.divisor)
        case Gauge():
            value = series.combined(family.combine)
            return sample(name, labels, value if family.divisor == 1 else value / family.divisor)
        case Histogram():
            return histogram_samples(name, labels, series, zeros, family.divisor)


def counter_sample(name: str, labels: str, series: Counter, zeros: ZeroPeriod, divisor: float = 1) -> str:
    """Write a counter in its unit, which is ``divisor`` of those it counts in; a new one is 0."""
    total = 0 if zeros.covers(series.created_ms) else series.total
    return sample(name, labels, total if divisor == 1 else total / divisor)


def histogram_samples(name: str, labels: str, series: Histogram, zeros: ZeroPeriod, divisor: float) -> str:
    """Write a histogram likewise, with its bounds in the unit that it counts in."""
    is_new = zeros.covers(series.created_ms)
    lines: list[str] = []
    running = 0
    separator = "," if labels else ""
    for bound, count in zip((*series.bounds, math.inf), series.counts, strict=True):
        running += 0 if is_new else count
        upper = number(float(bound) / divisor)
        lines.append(sample(f"{name}_bucket", f'{labels}{separator}le="{upper}"', running))
    lines.append(sample(f"{name}_sum", labels, 0.0 if is_new else series.total / divisor))
    lines.append(sample(f"{name}_count", labels, running))
    return "".join(lines)


def instances(labels: Iterable[str], most: int, other_labels: str, *, openmetrics: bool) -> bytes:
    """Write how many client instances share each set of identity labels; beyond ``most`` sets they are added up."""
    tally = Tally(labels)
    if not tally:
        return b""
    for text in list(tally)[most:]:
        tally[other_labels] += tally.pop(text)
    entry = own_metric(INSTANCES)
    lines = [heading(entry.name, entry.type, entry.help, openmetrics=openmetrics)]
    lines += [sample(entry.name, text, count) for text, count in tally.items()]
    return "".join(lines).encode("utf-8", "replace")
