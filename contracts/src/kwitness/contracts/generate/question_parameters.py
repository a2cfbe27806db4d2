"""Describes the parameters of questions over HTTP."""

from __future__ import annotations

from kwitness.contracts.questions import DEFAULT_LIMIT, MAX_LIMIT, Noun

__all__ = ["LOCAL", "parameters_of"]

LOCAL = ("local", "query", "true: only what this replica knows, without asking the others.")
_TEAMS = ("owner", "topic_owner")


def parameters_of(noun: Noun) -> tuple[tuple[str, str, str], ...]:
    """Return name, place and meaning of each parameter of a noun's path; filters are described as the item's fields."""
    meanings = {name: _filter_meaning(noun, name) for name in noun.filters} | {
        "fields": "Names of the fields that items have, with commas between; all unless given.",
        "order": f"Field that items are ordered by, descending with `-` before it: {', '.join(noun.orders)}. Items "
        "without a value come last. By key unless given.",
        "limit": f"Most items of the answer; {DEFAULT_LIMIT} unless given, at most {MAX_LIMIT}.",
        "continue": "Token of the page before.",
        "local": LOCAL[2],
        "since": "Cursor of the answer before, empty to begin: only what changed since. Without `order` and "
        "`continue`.",
    }
    return tuple((name, "query", meanings[name]) for name in noun.parameters)


def _filter_meaning(noun: Noun, name: str) -> str:
    subject = str(noun.item.model_fields[name].description).partition(";")[0].rstrip(".")
    return f"{subject}{' (the team)' if name in _TEAMS else ''}; with `*` at the end how it begins."
