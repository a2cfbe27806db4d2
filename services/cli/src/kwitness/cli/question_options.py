"""Options of commands that show a noun of the collector: its filters, each named once, the order and the limit.

    @app.command()
    @shared
    @with_selection(CONNECTIONS)
    def connections(options: Options, *, selection: Selection, ...) -> None:

It is apart from `options`, since most commands need no models of nouns.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, NamedTuple

import typer

from kwitness.answers.access.questions import Selection
from kwitness.answers.failure import WrongUseError
from kwitness.cli.completed_names import Completer, names_of
from kwitness.contracts.questions import DEFAULT_LIMIT, Noun

__all__ = ["FILTERS", "with_name", "with_selection"]


class Filter(NamedTuple):
    """One option that selects items."""

    option: str
    metavar: str
    selected: str


FILTERS: Final[Mapping[str, Filter]] = {
    "client_id": Filter("--client-id", "ID", "clients with this client id"),
    "client_instance_id": Filter("--client-instance-id", "ID", "the client instance with this id"),
    "principal": Filter("--principal", "NAME", "clients of this principal"),
    "owner": Filter("--owner", "TEAM", "clients or groups of this team"),
    "group_id": Filter("--group", "ID", "this consumer group or its members"),
    "client_software_name": Filter("--software", "NAME", "clients of this library"),
    "client_software_version": Filter("--software-version", "VERSION", "clients of this version of their library"),
    "client_address": Filter("--address", "ADDRESS", "clients at this address"),
    "broker_id": Filter("--broker", "ID", "connections to this broker"),
    "k8s_namespace": Filter("--pod-namespace", "NAME", "clients in pods of this namespace"),
    "k8s_workload": Filter("--workload", "NAME", "clients in pods of this workload"),
    "topic": Filter("--topic", "NAME", "this topic"),
    "topic_owner": Filter("--topic-owner", "TEAM", "topics of this team"),
    "known_wrong": Filter("--known-wrong", "ID", "clients whose software has this defect, such as 'Lost*'"),
    "api": Filter("--api", "NAME", "this request, such as Produce"),
}
"""Options by the fields of nouns that they select; a value that ends with * is a prefix."""

_LIMIT: Final = typer.Option(
    "--limit", metavar="N", min=1, show_default=False, help=f"Most rows; by default {DEFAULT_LIMIT}."
)
_Command = Callable[..., None]


def with_selection(noun: Noun, *, orders: Sequence[str] | None = None) -> Callable[[_Command], _Command]:
    """Give a command the filters of a noun, `--sort` by one of `orders` and `--limit`, as its argument `selection`."""
    options = [
        _parameter(field, Annotated[str | None, _option(FILTERS[field], names_of(noun.path, field))])
        for field in noun.filters
    ]
    options.append(_parameter("sort", Annotated[str | None, _sort(orders or noun.orders)]))
    options.append(_parameter("limit", Annotated[int, _LIMIT], DEFAULT_LIMIT))

    def decorate(function: _Command) -> _Command:
        parameters = inspect.signature(function, eval_str=True).parameters
        own = [parameter for parameter in parameters.values() if parameter.name != "selection"]

        @functools.wraps(function)
        def command(**given: Any) -> None:
            filters = {field: given.pop(field) for field in noun.filters}
            function(selection=Selection(filters, given.pop("sort"), given.pop("limit")), **given)

        vars(command)["__signature__"] = inspect.Signature([own[0], *options, *own[1:]])
        return command

    return decorate


def _option(known: Filter, complete: Completer) -> Any:
    text = f"Only {known.selected}."
    return typer.Option(known.option, metavar=known.metavar, help=text, autocompletion=complete)


def _parameter(name: str, annotation: Any, default: int | None = None) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _sort(orders: Sequence[str]) -> Any:
    def check(value: str | None) -> str | None:
        if value is not None and value.removeprefix("-") not in orders:
            raise typer.BadParameter(f"'{value}' is not one of {', '.join(orders)}, with or without - before it.")
        return value

    def complete(incomplete: str) -> list[str]:
        return [field for field in orders if field.startswith(incomplete)]

    text = f"Field to sort by, descending with - before it: {', '.join(orders)}."
    return typer.Option("--sort", metavar="FIELD", help=text, callback=check, autocompletion=complete)


def with_name(selection: Selection, field: str, name: str | None) -> Selection:
    """Return the selection with the argument of a command as a filter.

    Raises
    ------
    WrongUseError
        The filter has an option of its own, which is given too.
    """
    if name is None:
        return selection
    if selection.filters[field] is not None:
        raise WrongUseError(f"{name} and {FILTERS[field].option} select the same: leave out one of them")
    return selection.restricted(**{field: name})
