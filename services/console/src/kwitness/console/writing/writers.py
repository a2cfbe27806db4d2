"""Finds the access to the API server with which a request may write: that of the person, never that of a pod."""

from __future__ import annotations

from aiohttp import web

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.person_access import access_of_person
from kwitness.answers.failure import CommandFailedError
from kwitness.console.door import TOKEN

__all__ = ["Writers"]


class Writers:
    """The access of those who send forms.

    Parameters
    ----------
    cluster
        Access of this process; None without Kubernetes.
    is_own
        True where the person started this process, so that its permissions are those of the person.
    """

    def __init__(self, cluster: ClusterAccess | None, *, is_own: bool) -> None:
        self._cluster = cluster
        self._is_own = is_own

    def access(self, request: web.Request) -> ClusterAccess:
        """Return the access of a request's person.

        Raises
        ------
        CommandFailedError
            There is no Kubernetes, or no token to write with.
        """
        if self._cluster is None:
            raise CommandFailedError(
                "there is no Kubernetes here, and subscriptions are resources of it: start kwitness console --context "
                "NAME for an installation"
            )
        if self._is_own:
            return self._cluster
        token = request.get(TOKEN)
        if token is None:
            raise CommandFailedError(
                "this console has no token of yours that the API server takes, so it cannot write in your name: sign "
                "in with one that kubectl create token printed, or use the commands below"
            )
        return access_of_person(self._cluster, token)
