"""Tools for the nouns of the collector: clients, connections, topics, traffic and groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import GenericAlias
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

from mcp_types import CallToolResult
from pydantic import BaseModel, Field, create_model
from pydantic.fields import FieldInfo

from kwitness.answers.access.answer_lacks import lacks_of
from kwitness.answers.access.client_questions import pushing_clients, silent_clients
from kwitness.answers.access.questions import Answer, Questions, Selection
from kwitness.answers.access.topic_questions import topics
from kwitness.answers.views.topic_rows import TOPIC_ORDERS, TopicRow
from kwitness.contracts.envelopes import ClientItem, SilentItem
from kwitness.contracts.nouns import CLIENTS, CONNECTIONS, GROUPS, TRAFFIC
from kwitness.mcp.installation import Installation
from kwitness.mcp.results import DEFAULT_LIMIT, MOST, fitting
from kwitness.mcp.tool import Argument, Tool

__all__ = ["noun_tools"]

_LENGTHY: Final = frozenset({"metrics"})
"""Fields that an answer has where they are requested alone."""
_OURS: Final = Argument(Annotated[bool, Field(description="Include kwitness' own clients.")], False)
_SILENT_FILTERS: Final = (
    "client_id",
    "client_instance_id",
    "principal",
    "client_address",
    "client_software_name",
    "client_software_version",
    "reason",
)
_SILENT_ORDERS: Final = ("connections", "client_id", "client_software_name", "reason")

Question = Callable[..., Answer[Any]]
Model = TypeVar("Model", bound=BaseModel)


class _Noun(NamedTuple):
    """A tool for items of one model."""

    name: str
    about: str
    item: type[BaseModel]
    filters: Sequence[str]
    orders: Sequence[str]
    ask: Question
    more: Mapping[str, Argument] = {}
    has_pages: bool = True


_NOUNS: Final = (
    _Noun(
        "clients",
        "Kafka client instances that push metrics: identity, version, owner, state.",
        ClientItem,
        CLIENTS.filters,
        CLIENTS.orders,
        pushing_clients,
        {"ours": _OURS},
    ),
    _Noun(
        "silent_clients",
        "Kafka clients that are connected and do not push metrics, each with the reason and what to do.",
        SilentItem,
        _SILENT_FILTERS,
        _SILENT_ORDERS,
        silent_clients,
        {"ours": _OURS},
        has_pages=False,
    ),
    _Noun(
        "connections",
        "Connections that are open at observers; they list them on demand, which takes some seconds.",
        CONNECTIONS.item,
        CONNECTIONS.filters,
        CONNECTIONS.orders,
        Questions.connections,
    ),
    _Noun(
        "topics",
        "Topics with numbers of writers and readers, bytes, records and lag, as observers counted them lately.",
        TopicRow,
        TRAFFIC.filters,
        TOPIC_ORDERS,
        topics,
        has_pages=False,
    ),
    _Noun(
        "traffic",
        "Who writes and reads which topic now, with rates by client and API, as observers counted them lately.",
        TRAFFIC.item,
        TRAFFIC.filters,
        TRAFFIC.orders,
        Questions.traffic,
    ),
    _Noun(
        "groups",
        "Lag of consumer groups by topic, as observers saw commits lately.",
        GROUPS.item,
        GROUPS.filters,
        GROUPS.orders,
        Questions.groups,
    ),
)


def noun_tools(installation: Installation) -> Iterator[Tool]:
    """Yield a tool for each noun."""
    for noun in _NOUNS:
        yield Tool(noun.name, noun.about, _arguments(noun), _page_of(noun), call=_asker(installation, noun))


def _arguments(noun: _Noun) -> dict[str, Argument]:
    text = "Only items with this {}; a value that ends with * is a prefix."
    found = {
        name: Argument(Annotated[str, Field(description=text.format(name.replace("_", " ")))], "")
        for name in noun.filters
    }
    fields = tuple(noun.item.model_fields)
    usual = " but ".join(["all", *sorted(_LENGTHY.intersection(fields))])
    chosen = Field(description=f"Fields of the items; by default {usual}.")
    orders = tuple(sign + name for name in noun.orders for sign in ("", "-"))
    found["fields"] = Argument(Annotated[GenericAlias(list, (_choice(fields),)), chosen], ())
    found["order"] = Argument(
        Annotated[_choice(("", *orders)), Field(description="Field to sort by, descending with - before it.")], ""
    )
    found["limit"] = Argument(Annotated[int, Field(description="Most items.", ge=1, le=MOST)], DEFAULT_LIMIT)
    if noun.has_pages:
        found["cursor"] = Argument(
            Annotated[str, Field(description="`next_cursor` of the answer before; other arguments stay the same.")], ""
        )
    return found | dict(noun.more)


def _choice(values: tuple[str, ...]) -> Any:
    """Return the type of some texts."""
    return Literal[values]


def _optional(field: FieldInfo) -> Any:
    annotation: Any = field.annotation
    return annotation | None


def _page_of(noun: _Noun) -> type[BaseModel]:
    """Return the model of an answer, whose items may have some of their fields."""
    known = {
        name: (_optional(field), Field(None, description=field.description))
        for name, field in noun.item.model_fields.items()
    }
    item = create_model(noun.item.__name__, **known)  # type: ignore[call-overload]
    return create_model(
        f"{noun.name}_answer",
        items=(list[item], Field(description="Items that fit.")),
        matched=(int | None, Field(None, description="How many items fit.")),
        left_out=(int, Field(0, description="How many items fit and are not in this answer.")),
        next_cursor=(str | None, Field(None, description="`cursor` of the items that follow; absent at the end.")),
        notes=(list[str], Field([], description="What the answer lacks, and why.")),
    )


def _asker(installation: Installation, noun: _Noun) -> Callable[..., CallToolResult]:
    required = [name for name, field in noun.item.model_fields.items() if field.is_required()]

    def ask(*, fields: Sequence[str], order: str, limit: int, cursor: str = "", **given: Any) -> CallToolResult:
        more = {name: given.pop(name) for name in noun.more}
        shown = set(fields) or noun.item.model_fields.keys() - _LENGTHY
        selection = Selection(
            {name: value or None for name, value in given.items()},
            order or None,
            fields=list(dict.fromkeys([*fields, *required])) if fields and noun.has_pages else (),
            after=cursor or None,
        )
        with installation.questions() as questions:

            def first(count: int) -> dict[str, Any]:
                return _document(noun.ask(questions, selection._replace(limit=count), **more), shown)

            return fitting(first, limit)

    return ask


def _document(answer: Answer[Any], shown: set[str]) -> dict[str, Any]:
    items = [item.model_dump(mode="json", include=shown, exclude_none=True) for item in answer.items]
    found = {
        "matched": answer.matched,
        "left_out": max((answer.matched or 0) - len(items), 0),
        "next_cursor": answer.continue_,
        "notes": lacks_of(answer),
    }
    return {"items": items, **{name: value for name, value in found.items() if value}}
