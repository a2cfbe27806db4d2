"""Owners and texts that often fit each other."""

from __future__ import annotations

from hypothesis import strategies as st

from kwitness.contracts.owners import OwnerEntry, OwnerMatch, Owners

_PATTERNS = st.none() | st.sampled_from(
    ("a", "a*", "ab", "ab*", "b", "*", "a**", "%", "_", "A", "'a", "\\", "a\u00e9*")
)

VALUES = (None, "", "a", "ab", "abc", "b", "a*", "%", "_", "A", "'a", "\\", "a\u00e9", "x")
TEXTS = st.sampled_from(VALUES)
"""What is known of a client or topic, None where it is not."""

_MATCHES = st.builds(lambda *patterns: patterns, _PATTERNS, _PATTERNS, _PATTERNS, _PATTERNS).filter(any)


def _entry(patterns: tuple[str | None, ...], team: str, contact: str | None) -> OwnerEntry:
    principal, client_id, namespace, topic = patterns
    match = OwnerMatch(principal=principal, client_id=client_id, namespace=namespace, topic=topic)
    return OwnerEntry(team=team, contact=contact, match=match)


OWNERS = st.lists(
    st.builds(_entry, _MATCHES, st.sampled_from(("one", "two", "three")), st.none() | st.just("c@example.com")),
    max_size=6,
).map(lambda entries: Owners(owners=tuple(entries)))
