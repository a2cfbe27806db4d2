"""The chain of a new client: the application's own interceptors, then those of the profile."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping
from typing import Any, Optional, TypeVar, Union

from .chain import ConsumerChain, ProducerChain
from .containment import FAILURES, is_contained, reason_of
from .interface import ConsumerInterceptor, ProducerInterceptor
from .loading import load
from .profile import CONSUMER, PRODUCER
from .reporting.process import PROCESS, Client

__all__ = ["close_with", "consumer_chain", "producer_chain"]

_Chain = TypeVar("_Chain", ProducerChain, ConsumerChain)


def producer_chain(classes: object, config: Mapping[str, Any]) -> Optional[ProducerChain]:
    """Make the chain of a producer; None where it has no interceptor, or it could not be made."""
    return _made(ProducerChain, ProducerInterceptor, PRODUCER, classes, config)


def consumer_chain(classes: object, config: Mapping[str, Any]) -> Optional[ConsumerChain]:
    """Make the chain of a consumer, as `producer_chain` does."""
    return _made(ConsumerChain, ConsumerInterceptor, CONSUMER, classes, config)


def close_with(client: object, chain: Union[ProducerChain, ConsumerChain]) -> None:
    """Close the chain when the client is collected or the process ends, where the application never closes it."""
    weakref.finalize(client, _close_in, os.getpid(), chain)


def _made(
    kind: type[_Chain], interface: type, side: str, classes: object, config: Mapping[str, Any]
) -> Optional[_Chain]:
    try:
        own: list[Any] = load(classes, interface, config)
        client: Client = _client(side, config)
        chain = kind([*own, *client.interceptors])
        _begin(client, chain)
    except BaseException as error:
        if not is_contained(error):
            raise
        FAILURES.add("kwitness_interceptors", "load", reason_of(error))
        return None
    return chain or None


def _client(side: str, config: Mapping[str, Any]) -> Client:
    """Return what the profile has for a client; nothing where that goes wrong, for the application's own must go on."""
    try:
        return PROCESS.client(side, config)
    except BaseException as error:
        if not is_contained(error):
            raise
        FAILURES.add("kwitness_interceptors", "load", reason_of(error))
        return Client(None, None, [])


def _begin(client: Client, chain: Union[ProducerChain, ConsumerChain]) -> None:
    """Have the chain reported; where that goes wrong it is called all the same."""
    try:
        client.begin(chain)
    except BaseException as error:
        if not is_contained(error):
            raise
        FAILURES.add("kwitness_interceptors", "report", reason_of(error))


def _close_in(process: int, chain: Union[ProducerChain, ConsumerChain]) -> None:
    # A fork has a copy of the client and ends on its own; the client is still its parent's.
    if os.getpid() == process:
        chain.close()
