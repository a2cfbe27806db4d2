"""Versions of client software in order, as far as what a client announces can be read.

Numbers count, by place. What follows them is a pre-release (`3.7.0-rc1`, `2.5.0b2`), a build of the release
(`2.5.0-rdkafka-2.5.3`, `3.7.0.redhat-00007`) or something that cannot be told: Confluent's `7.6.0-ccs` counts in
numbers of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import zip_longest
from typing import Literal

from .software import SOFTWARE, librdkafka_version

__all__ = ["below_least", "is_below"]

Answer = Literal["yes", "no", "unknown"]

_ANNOUNCED = re.compile(r"[vV]?([0-9]{1,9}(?:\.[0-9]{1,9})*)(.*)", re.DOTALL)
_PRE_RELEASE = re.compile(
    r"[-._~]?(?:snapshot|alpha|beta|preview|pre|rc|cr|dev|ea|milestone|[abcm](?=[-._]?[0-9]))(?![a-z]).*",
    re.IGNORECASE | re.DOTALL,
)
_BUILD = re.compile(
    r"(?:-rdkafka-.*|\+.*|-[0-9]+-g[0-9a-f]{4,}.*|[-.]redhat-[0-9]+|[-.](?:final|ga|release)|[-.]?post[0-9]*)?",
    re.IGNORECASE | re.DOTALL,
)
_LIBRDKAFKA = "librdkafka"
_BINDINGS = frozenset(one.name for one in SOFTWARE if one.engine == _LIBRDKAFKA and one.name != _LIBRDKAFKA)


def is_below(announced: str, least: str) -> Answer:
    """Say whether an announced version comes before `least`, which is numbers with dots between them."""
    found = _ANNOUNCED.fullmatch(announced)
    if found is None:
        return "unknown"
    numbers, rest = found[1], re.sub(r"-rdkafka-.*", "", found[2], flags=re.DOTALL)
    pre_release = _PRE_RELEASE.fullmatch(rest) is not None
    if not pre_release and _BUILD.fullmatch(rest) is None:
        return "unknown"
    for one, other in zip_longest(numbers.split("."), least.split("."), fillvalue="0"):
        if int(one) != int(other):
            return "yes" if int(one) < int(other) else "no"
    return "yes" if pre_release else "no"


def below_least(name: str, version: str, least: Mapping[str, str]) -> tuple[Answer, str]:
    """Say whether a client software is below a least version, and below which one, as `<software> <version>`.

    `least` holds versions by the name that clients announce. The entry of librdkafka counts for the librdkafka inside
    its bindings too. Where no entry is about the software, the answer is no and the text is empty.
    """
    answers: list[tuple[Answer, str]] = []
    if name in least:
        answers.append((is_below(version, least[name]), f"{name} {least[name]}"))
    inside = librdkafka_version(name, version)
    if _LIBRDKAFKA in least and name != _LIBRDKAFKA and (inside is not None or name in _BINDINGS):
        answer = "unknown" if inside is None else is_below(".".join(map(str, inside)), least[_LIBRDKAFKA])
        answers.append((answer, f"{_LIBRDKAFKA} {least[_LIBRDKAFKA]}"))
    for wanted in ("yes", "unknown"):
        for answer, which in answers:
            if answer == wanted:
                return answer, which
    return ("no", "")
