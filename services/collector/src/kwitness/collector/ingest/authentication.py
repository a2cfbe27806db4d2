"""Who is calling, and what that kind of caller may do (docs/decisions/0042)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Protocol, get_args

from kwitness.collector.failures import ForbiddenError, UnauthenticatedError
from kwitness.collector.ingest.token_review import User
from kwitness.collector.scope_headers import read_scope
from kwitness.contracts.audiences import collector_audience, inventory_audience
from kwitness.contracts.collector_config import ANY_ACCOUNT, CollectorConfig, ReaderConfig
from kwitness.contracts.observers import ReportedBy
from kwitness.contracts.reader_rights import ReaderScope
from kwitness.runtime.reloading import ReloadingFile

Kind = Literal["plugin", "otlp", "observer", "interceptor", "collector", "reader", "operator"]
Purpose = Literal["send", "read"]
SENDERS: Final[Purpose] = "send"
"""Tokens that send."""
READERS: Final[Purpose] = "read"
"""Tokens that read the inventory."""
_REPORTED_BY: Final[dict[str, ReportedBy]] = {one: one for one in get_args(ReportedBy)}
_NAME_DIGITS: Final = 16
_KINDS: Final[dict[str, Kind]] = {
    "plugin": "plugin",
    "otlp": "otlp",
    "collector": "collector",
    "reader": "reader",
    "operator": "operator",
}


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: what kind, and the one cluster it may speak of, if there is one.

    ``pod`` is <namespace>/<pod> of an observer or interceptor, ``reported_by`` what its rows are marked with. ``name``
    tells it from others: that of its account, or a hash of its token in the file. ``answers`` is as in `SenderConfig`.
    A reader with a ``scope`` may see what is of it alone.
    """

    kind: Kind
    cluster_id: str | None
    pod: str | None = None
    reported_by: ReportedBy = "pod"
    name: str = field(default="", compare=False)
    answers: bool = True
    scope: ReaderScope | None = None

    def may_speak_of(self, cluster_id: str) -> None:
        """Raise `ForbiddenError` unless the caller may send events of that cluster."""
        if self.kind != "collector" and self.cluster_id is not None and self.cluster_id != cluster_id:
            raise ForbiddenError(
                "WrongCluster",
                f"this token is for cluster {self.cluster_id}, the request speaks of {cluster_id[:64]}",
            )


class Reviewer(Protocol):
    """Says whose a projected token is."""

    async def user(self, token: str, audience: str, peer: str) -> User | None:
        """Return whose token it is, or None for one that is no good for the audience; ``peer`` is who asks."""
        ...


def parse_tokens(content: bytes) -> dict[bytes, Caller]:
    """Read lines of token, source and cluster id into callers by the token's hash; other lines are left out.

    A line of an observer goes on with what it is known as and with <namespace>/<pod>, or any such pair of names; one of
    an interceptor with the pair alone, one of a reader with the entries of its scope.
    """
    callers: dict[bytes, Caller] = {}
    for line in content.decode("utf-8", "replace").splitlines():
        match line.split():
            case [token, _, _, *_] if token.startswith("#"):
                continue
            case [token, "observer", cluster_id, reported_by, pod] if reported_by in _REPORTED_BY:
                caller = Caller("observer", cluster_id, pod, _REPORTED_BY[reported_by], name=_name(token))
            case [token, "interceptor", cluster_id, pod]:
                caller = Caller("interceptor", cluster_id, pod, name=_name(token))
            case [token, "reader", cluster_id, first, *others]:
                try:
                    scope = read_scope((first, *others))
                except ValueError:
                    continue
                caller = Caller("reader", cluster_id, name=_name(token), scope=scope)
            case [token, kind, cluster_id] if kind in _KINDS:
                caller = Caller(_KINDS[kind], cluster_id, name=_name(token))
            case _:
                continue
        callers[_digest(token)] = caller
    return callers


def _digest(token: str) -> bytes:
    # Looking up a hash takes the same time however much of a guessed token is right.
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _name(token: str) -> str:
    return f"token {_digest(token).hex()[:_NAME_DIGITS]}"


class Authenticator:
    """Decides who calls from a bearer token; follows changes of the configuration and of the tokens file."""

    def __init__(self, config: CollectorConfig, reviewer: Reviewer | None) -> None:
        self._reviewer = reviewer
        self._file: ReloadingFile[dict[bytes, Caller]] | None = None
        self.configure(config)

    def configure(self, config: CollectorConfig) -> None:
        """Take a new configuration."""
        self._config = config
        path = config.ingest.tokens_file
        if path is None:
            self._file = None
        elif self._file is None or self._file.path != Path(path):
            self._file = ReloadingFile(Path(path), parse_tokens)

    async def caller(
        self,
        authorization: str | None,
        purposes: tuple[Purpose, ...],
        kinds: tuple[Kind, ...] = (),
        *,
        peer: str | None = None,
    ) -> Caller:
        """Find out who calls from the address ``peer``, with a token for one of these purposes.

        An account may be of several kinds, as that of a broker with the plugin and an observer in one pod: the first of
        ``kinds`` is meant then, if there is one.

        Raises
        ------
        UnauthenticatedError
            Without a token, or with one that nobody vouches for.
        UnavailableError
            When the API server cannot be asked.
        """
        scheme, _, token = (authorization or "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            raise UnauthenticatedError(
                "NoToken", "send a bearer token: a projected service account token or one from the tokens file"
            )
        known = self._from_file(token)
        if known is not None:
            return known
        audiences = [self._audience(purpose) for purpose in purposes]
        for purpose, audience in zip(purposes, audiences, strict=True):
            user = await self._reviewer.user(token, audience, peer or "") if self._reviewer is not None else None
            caller = self._of_user(user, purpose, kinds) if user else None
            if caller is not None:
                return caller
            if user is not None:
                raise ForbiddenError(
                    "NotASender" if purpose == SENDERS else "NotAReader",
                    f"{user.name} is neither in spec.ingest.senders nor spec.ingest.readers of this TelemetryCollector",
                )
        raise UnauthenticatedError("BadToken", f"the token is not valid for audience {' or '.join(audiences)}")

    def _audience(self, purpose: Purpose) -> str:
        named = collector_audience if purpose == SENDERS else inventory_audience
        return named(self._config.namespace, self._config.name)

    def _from_file(self, token: str) -> Caller | None:
        if self._file is None:
            return None
        try:
            return self._file.current().get(_digest(token))
        except (OSError, ValueError):
            return None

    def _of_user(self, user: User, purpose: Purpose, kinds: tuple[Kind, ...]) -> Caller | None:
        _, _, account = user.name.partition("system:serviceaccount:")
        namespace, _, name = account.partition(":")
        config = self._config
        if purpose == READERS:
            listed = [one for one in config.ingest.readers if (one.namespace, one.service_account) == (namespace, name)]
            if not listed:
                return None
            if any(one.directs for one in listed):
                return Caller("operator", None, name=user.name)
            return Caller("reader", None, name=user.name, scope=_scope(listed))
        found: list[Caller] = []
        for account in (name, ANY_ACCOUNT):
            for sender in config.ingest.senders:
                if (sender.namespace, sender.service_account) != (namespace, account):
                    continue
                in_pod = sender.source in {"observer", "interceptor"}
                pod = f"{namespace}/{user.pod}" if user.pod and in_pod else None
                if account == ANY_ACCOUNT and pod is None:
                    # Only what is beside a client or a broker in a pod is meant.
                    continue
                found.append(
                    Caller(sender.source, config.cluster_id, pod, sender.reported_by, user.name, sender.answers)
                )
        meant = [one for one in found if one.kind in kinds] or found
        if meant and meant[0].kind == "interceptor":
            # An observer's account may send both, and a pod may have both.
            meant = [one for one in meant if one.kind == "observer"] or meant
        return next(iter(meant), None)


def _scope(readers: Sequence[ReaderConfig]) -> ReaderScope | None:
    """Return the scope of an account that several entries name: scopes add up."""
    scopes = [reader.scope for reader in readers if reader.scope is not None]
    if len(scopes) < len(readers):
        return None
    return ReaderScope.model_construct(
        namespaces=tuple(pattern for scope in scopes for pattern in scope.namespaces),
        owners=tuple(pattern for scope in scopes for pattern in scope.owners),
    )


def require(caller: Caller, *kinds: Kind) -> None:
    """Raise `ForbiddenError` unless the caller is of one of the kinds."""
    if caller.kind not in kinds:
        raise ForbiddenError("WrongSource", f"a sender of kind {caller.kind} may not use this path")
