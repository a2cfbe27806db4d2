"""Owners and texts that often fit each other."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from kwitness.contracts.owners import KnownOwner, OwnerEntry, OwnerList, OwnerMatch, Owners, text_fits

_PATTERNS = st.none() | st.sampled_from(
    ("a", "a*", "ab", "ab*", "b", "*", "a**", "%", "_", "A", "'a", "\\", "a\u00e9*")
)

VALUES = (None, "", "a", "ab", "abc", "b", "a*", "%", "_", "A", "'a", "\\", "a\u00e9", "x")
TEXTS = st.sampled_from(VALUES)
"""What is known of a client or topic, None where it is not."""
KNOWN = st.fixed_dictionaries(dict.fromkeys(("principal", "client_id", "namespace", "group", "topic"), TEXTS))
"""Values by what entries match."""
TIMES = st.sampled_from((0, 999, 1000, 1001, 2000))
"""Milliseconds since 1970, about the times from which entries count."""

_FROM = st.none() | st.sampled_from((1000, 2000)).map(
    lambda milliseconds: datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)
)
_MATCHES = st.tuples(_PATTERNS, _PATTERNS, _PATTERNS, _PATTERNS, _PATTERNS).filter(any)


def _entry(patterns: tuple[str | None, ...], team: str, contact: str | None, valid_from: datetime | None) -> OwnerEntry:
    principal, client_id, namespace, group, topic = patterns
    match = OwnerMatch(principal=principal, client_id=client_id, namespace=namespace, group=group, topic=topic)
    return OwnerEntry(team=team, contact=contact, match=match, valid_from=valid_from)


FILES = st.lists(
    st.builds(_entry, _MATCHES, st.sampled_from(("one", "two", "three")), st.none() | st.just("c@example.com"), _FROM),
    max_size=6,
).map(lambda entries: Owners(owners=tuple(entries)))
OWNERS = FILES.map(OwnerList.from_file)


def fits(entry: OwnerEntry, values: Mapping[str, str | None], at_ms: int) -> bool:
    """Return what the guide says of one entry."""
    counts = entry.valid_from is None or entry.valid_from <= datetime.fromtimestamp(at_ms / 1000, UTC)
    return counts and all(text_fits(pattern, values[name]) for name, pattern in entry.match.patterns().items())


def first_fit(owners: OwnerList, values: Mapping[str, str | None], at_ms: int) -> KnownOwner | None:
    """Return the first entry that fits, by comparing each."""
    return next((entry for entry in owners.owners if fits(entry, values, at_ms)), None)
