"""Fields of the form that adds a subscription, and what they mean for the command and the API server."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from kwitness.answers.failure import WrongUseError
from kwitness.answers.subscription_request import Request

__all__ = ["FIELDS", "MOST_CHARACTERS", "Field", "command_of", "read_form", "request_of"]

MOST_CHARACTERS: Final = 65_536
"""Characters of all fields together: 256 prefixes of 255 characters."""


class Field(NamedTuple):
    """A field; ``kind`` is text, lines (a value on each) or mark."""

    name: str
    title: str
    option: str
    kind: str
    example: str = ""


FIELDS: Final = (
    Field("name", "Name", "", "text", "slow-orders"),
    Field("namespace", "Namespace", "--namespace", "text", "shop"),
    Field("cluster", "KafkaCluster", "--cluster", "text", "shop/orders"),
    Field("metrics", "Prefixes of metrics, one a line", "--metric", "lines", "org.apache.kafka.producer."),
    Field("interval", "Interval", "--interval", "text", "5m"),
    Field("expire_after", "Ends after", "--for", "text", "never"),
    Field("clientId", "Client ids, one a line", "--client-id", "lines"),
    Field("clientSoftwareName", "Software, one a line", "--software", "lines"),
    Field("clientSoftwareVersion", "Versions, one a line", "--software-version", "lines"),
    Field("clientInstanceId", "Client instances, one a line", "--client-instance-id", "lines"),
    Field("clientSourceAddress", "Addresses, one a line", "--address", "lines"),
    Field("clientSourcePort", "Ports, one a line", "--port", "lines"),
    Field("patterns", "Values of clients are regular expressions", "--pattern", "mark"),
    Field("accept_risk", "Apply it even if it could crash clients", "--accept-risk", "mark"),
)
_SELECTORS: Final = tuple(field.name for field in FIELDS if field.name.startswith("client"))


def read_form(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the fields of a form or an address, each as a text; what is no field is left out.

    Raises
    ------
    WrongUseError
        They are too long.
    """
    values = {field.name: given.get(field.name, "") for field in FIELDS}
    form = {name: value.replace("\r\n", "\n") if isinstance(value, str) else "" for name, value in values.items()}
    if sum(map(len, form.values())) > MOST_CHARACTERS:
        raise WrongUseError(f"the fields have more than {MOST_CHARACTERS:,} characters: request fewer metrics")
    return form


def request_of(form: Mapping[str, str]) -> Request:
    """Return what a form requests.

    Raises
    ------
    WrongUseError
        A name lacks.
    """
    name, namespace = form["name"].strip(), form["namespace"].strip()
    place, _, cluster = form["cluster"].strip().rpartition("/")
    for title, value in (("name", name), ("namespace", namespace), ("KafkaCluster", cluster)):
        if not value:
            raise WrongUseError(f"the {title} is empty: fill it in")
    return Request(
        name=name,
        namespace=namespace,
        cluster=cluster,
        cluster_namespace=place or namespace,
        metrics=[line.strip() for line in _lines(form["metrics"])],
        interval=form["interval"].strip() or None,
        expire_after=form["expire_after"].strip() or None,
        selectors={selector: _lines(form[selector]) for selector in _SELECTORS},
        patterns=bool(form["patterns"]),
        accept_risk=bool(form["accept_risk"]),
    )


def command_of(form: Mapping[str, str]) -> str:
    """Return the line of the command that requests the same."""
    words = ["kwitness", "subscriptions", "add", shlex.quote(form["name"].strip() or "NAME")]
    for field in FIELDS[1:]:
        value = form[field.name]
        if field.kind == "mark":
            words += [field.option] if value else []
            continue
        for text in _lines(value) if field.kind == "lines" else [value.strip()]:
            words += [field.option, shlex.quote(text)] if text else []
    return " ".join(words)


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]
