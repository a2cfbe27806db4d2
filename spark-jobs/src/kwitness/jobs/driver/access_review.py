"""Asks Kubernetes whether an account may read the rows of a job: `get` of the subresource `analyticsjobs/rows`.

No API server serves that subresource: it exists in Roles alone, as permissions on it are given and reviewed.
"""

from __future__ import annotations

from kwitness.contracts.resources.kind_names import PLURALS
from kwitness.contracts.resources.meta import GROUP
from kwitness.jobs.driver.kubernetes_reviews import KubernetesReviews
from kwitness.jobs.driver.token_review import User

__all__ = ["AccessReviewer"]


class AccessReviewer:
    """Reviews the access of accounts to one AnalyticsJob; nothing is remembered, so what is withdrawn ends at once."""

    def __init__(self, reviews: KubernetesReviews, namespace: str, name: str) -> None:
        self._reviews = reviews
        self._namespace = namespace
        self._name = name

    def may_read_rows(self, user: User) -> bool:
        """Return whether the API server allows it.

        Raises
        ------
        ReviewUnavailableError
            The API server could not be asked; then it is not allowed.
        """
        spec = {
            "user": user.name,
            "uid": user.uid,
            "groups": list(user.groups),
            "extra": {key: list(values) for key, values in user.extra.items()},
            "resourceAttributes": {
                "verb": "get",
                "group": GROUP,
                "resource": PLURALS["AnalyticsJob"],
                "subresource": "rows",
                "namespace": self._namespace,
                "name": self._name,
            },
        }
        status = self._reviews.create("authorization.k8s.io/v1", "SubjectAccessReview", spec)
        return status.get("allowed") is True

    def refusal(self, user: User) -> str:
        """Return what an account lacks, and how it is given."""
        resource = PLURALS["AnalyticsJob"]
        return (
            f"{user.name} may not get {resource}.{GROUP}/rows {self._name} in namespace {self._namespace}: an "
            f"administrator allows it by a Role with the verb get on {resource}/rows"
        )
