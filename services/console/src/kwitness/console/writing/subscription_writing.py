"""Answers forms that add and end subscriptions: a preview first, and only what it showed is written."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aiohttp import web

from kwitness.answers.access.cluster_access import AlreadyThereError
from kwitness.answers.failure import CommandFailedError, NotPermittedError
from kwitness.console.handlers import Handlers
from kwitness.console.pages.add_subscription import ADD_SUBSCRIPTION, form_values
from kwitness.console.pages.lines import Line
from kwitness.console.pages.page import Page
from kwitness.console.pages.subscription_form import FIELDS, command_of, read_form, request_of
from kwitness.console.sources.source import Source
from kwitness.console.writing.previews import (
    Addition,
    Ending,
    already_there,
    is_there,
    preview_addition,
    preview_ending,
)
from kwitness.console.writing.writers import Writers

__all__ = ["SubscriptionWriting"]

_EMPTY: Final[Mapping[str, str]] = dict.fromkeys((field.name for field in FIELDS), "")
_CHANGED: Final = "It has changed since the last preview, so nothing was written. This is what it is now."
_REFUSED: Final = 422
_FORBIDDEN: Final = 403
_SHOWN_WITHIN_S: Final = 3.0
"""How long an answer waits for resources to be read again after a change."""
_ENDING: Final = Page("/subscriptions", "subscriptions", "end_subscription.html", ("resources",), lambda _: {})
_ADDITION: Final = Page("/add-subscription", "subscriptions", "add_preview.html", ("resources",), lambda _: {})


class SubscriptionWriting:
    """The forms.

    Parameters
    ----------
    resources
        The source that reads subscriptions; None without Kubernetes.
    """

    def __init__(self, handlers: Handlers, writers: Writers, resources: Source | None) -> None:
        self._handlers = handlers
        self._writers = writers
        self._resources = resources
        self._reads: set[asyncio.Task[None]] = set()

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of the forms."""
        return (
            web.post("/add-subscription", self._preview_addition),
            web.post("/add-subscription/change", self._change),
            web.post("/add-subscription/apply", self._add),
            web.post("/end-subscription", self._preview_ending),
            web.post("/end-subscription/apply", self._end),
        )

    async def _preview_addition(self, request: web.Request) -> web.StreamResponse:
        try:
            form = read_form(await request.post())
        except CommandFailedError as error:
            return await self._refuse_addition(request, _EMPTY, error)
        try:
            addition = await self._checked(request, form)
        except CommandFailedError as error:
            return await self._refuse_addition(request, form, error)
        return await self._show_addition(request, form, addition)

    async def _change(self, request: web.Request) -> web.StreamResponse:
        """Show the form again, as it was sent."""
        try:
            form = read_form(await request.post())
        except CommandFailedError as error:
            return await self._refuse_addition(request, _EMPTY, error)
        return await self._handlers.show(
            ADD_SUBSCRIPTION, request, lambda requested: form_values(requested.database, form)
        )

    async def _add(self, request: web.Request) -> web.StreamResponse:
        given = await request.post()
        form = _EMPTY
        try:
            form = read_form(given)
            desired = request_of(form)
            access = self._writers.access(request)
            try:
                addition = await self._checked(request, form)
                if addition.digest != given.get("digest"):
                    return await self._show_addition(request, form, addition, _CHANGED)
                await asyncio.to_thread(access.create, addition.body)
            except AlreadyThereError as error:
                if not await asyncio.to_thread(is_there, access, desired):
                    raise already_there(desired) from error
        except CommandFailedError as error:
            return await self._refuse_addition(request, form, error)
        await self._read_again()
        return _see_other(f"/subscriptions/{desired.namespace}/{desired.name}")

    async def _checked(self, request: web.Request, form: Mapping[str, str]) -> Addition:
        desired = request_of(form)
        access = self._writers.access(request)
        return await asyncio.to_thread(preview_addition, access, desired)

    async def _refuse_addition(
        self, request: web.Request, form: Mapping[str, str], error: CommandFailedError
    ) -> web.StreamResponse:
        problem = str(already_there(request_of(form)) if isinstance(error, AlreadyThereError) else error)
        return await self._handlers.show(
            ADD_SUBSCRIPTION,
            request,
            lambda requested: form_values(requested.database, form, problem),
            status=_FORBIDDEN if isinstance(error, NotPermittedError) else _REFUSED,
        )

    async def _show_addition(
        self, request: web.Request, form: Mapping[str, str], addition: Addition, note: str | None = None
    ) -> web.StreamResponse:
        lines = (
            Line("kubectl", f"kubectl apply --filename - <<'EOF'\n{addition.text}EOF", "applies it"),
            Line("kwitness", command_of(form), "likewise"),
        )
        values = {"form": form, "addition": addition, "note": note, "lines": lines}
        return await self._handlers.show(_ADDITION, request, lambda _: values, status=_REFUSED if note else 200)

    async def _preview_ending(self, request: web.Request) -> web.StreamResponse:
        namespace, name = _named(await request.post())
        try:
            ending = await self._checked_ending(request, namespace, name)
        except CommandFailedError as error:
            return await self._refuse_ending(request, namespace, name, error)
        return await self._show_ending(request, namespace, name, ending)

    async def _end(self, request: web.Request) -> web.StreamResponse:
        given = await request.post()
        namespace, name = _named(given)
        try:
            ending = await self._checked_ending(request, namespace, name)
            if ending is not None and ending.digest != given.get("digest"):
                return await self._show_ending(request, namespace, name, ending, _CHANGED)
            if ending is not None:
                access = self._writers.access(request)
                kind = ending.body["kind"]
                await asyncio.to_thread(lambda: access.delete(kind, name, namespace, only=ending.only))
        except CommandFailedError as error:
            return await self._refuse_ending(request, namespace, name, error)
        await self._read_again()
        return _see_other("/subscriptions")

    async def _checked_ending(self, request: web.Request, namespace: str, name: str) -> Ending | None:
        return await asyncio.to_thread(preview_ending, self._writers.access(request), namespace, name)

    async def _refuse_ending(
        self, request: web.Request, namespace: str, name: str, error: CommandFailedError
    ) -> web.StreamResponse:
        status = _FORBIDDEN if isinstance(error, NotPermittedError) else _REFUSED
        return await self._answer_ending(request, namespace, name, {"problem": str(error)}, status)

    async def _show_ending(
        self, request: web.Request, namespace: str, name: str, ending: Ending | None, note: str | None = None
    ) -> web.StreamResponse:
        values = {"ending": ending, "note": note}
        return await self._answer_ending(request, namespace, name, values, _REFUSED if note else 200)

    async def _answer_ending(
        self, request: web.Request, namespace: str, name: str, values: Mapping[str, Any], status: int
    ) -> web.StreamResponse:
        own, place = shlex.quote(name), f"--namespace {shlex.quote(namespace)}"
        lines = (
            Line("kubectl", f"kubectl delete clientmetricssubscription {own} {place}", "ends it"),
            Line("kwitness", f"kwitness subscriptions delete {own} {place}", "likewise"),
        )
        shown = {
            "namespace": namespace,
            "name": name,
            "problem": None,
            "note": None,
            "ending": None,
            **values,
            "lines": lines,
        }
        return await self._handlers.show(_ENDING, request, lambda _: shown, status=status)

    async def _read_again(self) -> None:
        """Have resources read again, so that the next page has the change; a slow API server is not waited for."""
        if self._resources is None:
            return
        task = asyncio.create_task(self._resources.read_once())
        self._reads.add(task)
        task.add_done_callback(self._reads.discard)
        await asyncio.wait([task], timeout=_SHOWN_WITHIN_S)


def _named(given: Mapping[str, Any]) -> tuple[str, str]:
    namespace, name = given.get("namespace", ""), given.get("name", "")
    return str(namespace), str(name)


def _see_other(address: str) -> web.Response:
    return web.Response(status=303, headers={"Location": address})
