"""Asks the API server who a token belongs to, and which clients that person may see: the one adapter to it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp

from kwitness.console.sign_in.bounded_answers import read_json
from kwitness.contracts.resources.meta import GROUP
from kwitness.runtime.api_access import ApiAccess, authorized_session

__all__ = ["ALL_NAMESPACES", "RESOURCE", "TOKEN_TEXT", "ApiReviews", "ApiUnavailableError", "User"]

RESOURCE: Final = "clients"
"""A resource that no API server serves: it is in Roles alone, where the right to see clients is given and reviewed."""
ALL_NAMESPACES: Final = ""
TOKEN_TEXT: Final = re.compile(r"[\x21-\x7e]{1,16384}")
"""A bearer token; an empty one would make the request one of `system:anonymous`."""
_AGENT: Final = "kwitness-console"
_TIMEOUT: Final = aiohttp.ClientTimeout(total=5)
_MAX_AT_ONCE: Final = 32
"""Requests with tokens of people at once; others wait for their turn until the time-out."""
_ANSWER_BYTES: Final = 256 * 1024
_ANONYMOUS: Final = "system:anonymous"
_CREATED: Final = 201
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403


class ApiUnavailableError(Exception):
    """The API server did not answer the question; the message is the reason. No answer is never a verdict."""


@dataclass(frozen=True, slots=True)
class User:
    """A person or account, as the API server knows it."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, list[str]] = field(default_factory=dict)


class ApiReviews:
    """Reviews of tokens and permissions.

    Parameters
    ----------
    server
        Address of the API server.
    of_people
        Session without any credential of its own: each request has the token of a person.
    own
        Session with the account of the pod.
    """

    def __init__(self, server: str, of_people: aiohttp.ClientSession, own: aiohttp.ClientSession) -> None:
        self._server, self._of_people, self._own = server, of_people, own

    @classmethod
    @asynccontextmanager
    async def opened(cls, access: ApiAccess) -> AsyncIterator[ApiReviews]:
        """Open both sessions until the block ends.

        Raises
        ------
        ValueError
            The access has a client certificate, which the API server would believe instead of a person's token.
        """
        if access.has_client_certificate:
            raise ValueError("the console asks with tokens: use a service account, not a kubeconfig with a certificate")
        connector = aiohttp.TCPConnector(ssl=access.ssl_context, limit=_MAX_AT_ONCE)
        jar = aiohttp.DummyCookieJar()
        async with (
            aiohttp.ClientSession(connector=connector, cookie_jar=jar, headers={"User-Agent": _AGENT}) as of_people,
            authorized_session(access, _AGENT) as own,
        ):
            yield cls(access.server, of_people, own)

    async def user_of(self, token: str) -> User | None:
        """Return the user of a token; None where the API server does not accept it.

        Raises
        ------
        ApiUnavailableError
            The API server gave no answer.
        """
        status = await self._review(token, "authentication.k8s.io/v1", "SelfSubjectReview", None)
        found = (status or {}).get("userInfo") or {}
        name = found.get("username")
        if not name or name == _ANONYMOUS:
            return None
        return User(name, tuple(found.get("groups") or ()), found.get("uid") or "", found.get("extra") or {})

    async def holder_may_see(self, token: str, namespace: str) -> bool:
        """Return whether the holder of a token may see a namespace's clients, or those of `ALL_NAMESPACES`.

        Raises
        ------
        ApiUnavailableError
            The API server gave no answer, or does not accept the token any more.
        """
        spec = {"resourceAttributes": _attributes(namespace)}
        status = await self._review(token, "authorization.k8s.io/v1", "SelfSubjectAccessReview", spec)
        if status is None:
            raise ApiUnavailableError("it accepted the token a moment ago, and does not any more")
        return status.get("allowed") is True

    async def user_may_see(self, user: User, namespace: str) -> bool:
        """Return whether a user may see a namespace's clients, asked with the account of the pod.

        Raises
        ------
        ApiUnavailableError
            The API server gave no answer.
        """
        spec = {
            "user": user.name,
            "groups": list(user.groups),
            "uid": user.uid,
            "extra": dict(user.extra),
            "resourceAttributes": _attributes(namespace),
        }
        status = await self._review(None, "authorization.k8s.io/v1", "SubjectAccessReview", spec)
        if status is None:
            raise ApiUnavailableError("it does not accept the account of the console's own pod")
        return status.get("allowed") is True

    async def _review(
        self, token: str | None, version: str, kind: str, spec: Mapping[str, Any] | None
    ) -> dict[str, Any] | None:
        """Return the status of a review; None where the token is not accepted."""
        body = {"apiVersion": version, "kind": kind, **({} if spec is None else {"spec": spec})}
        url = f"{self._server}/apis/{version}/{kind.lower()}s"
        session = self._own if token is None else self._of_people
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        try:
            async with session.post(url, json=body, headers=headers, timeout=_TIMEOUT, allow_redirects=False) as answer:
                if answer.status == _UNAUTHORIZED:
                    return None
                if answer.status == _FORBIDDEN:
                    raise ApiUnavailableError(_refusal(kind))
                if answer.status != _CREATED:
                    raise ApiUnavailableError(f"it answered {answer.status}")
                status = (await read_json(answer, _ANSWER_BYTES)).get("status")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise ApiUnavailableError(f"it cannot be reached ({type(error).__name__})") from error
        except ValueError as error:
            raise ApiUnavailableError(str(error)) from error
        if not isinstance(status, dict):
            raise ApiUnavailableError("its answer has no status")
        return status


def _attributes(namespace: str) -> dict[str, str]:
    return {"verb": "get", "group": GROUP, "resource": RESOURCE, "namespace": namespace}


def _refusal(kind: str) -> str:
    if kind == "SubjectAccessReview":
        return "the console's pod may not create SubjectAccessReviews: bind its account to system:auth-delegator"
    return f"this user may not create a {kind}: everyone may where the ClusterRoleBinding system:basic-user is"
