"""AdmissionReview, admission.k8s.io/v1: what is asked and what is answered."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kwitness.injector.decision.patch import Operation

__all__ = ["API_VERSION", "AdmissionRequest", "BadReviewError", "answer", "parse_review"]

API_VERSION: Final = "admission.k8s.io/v1"
_WARNING_LENGTH: Final = 200


class BadReviewError(Exception):
    """A body that is not the review of a pod; names what is wrong and who can correct it."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class _Kind(_Model):
    group: Literal[""]
    kind: Literal["Pod"]


class AdmissionRequest(_Model):
    """A pod that is about to be made; ``object_`` is the pod."""

    uid: str = Field(min_length=1, max_length=253)
    kind: _Kind
    operation: Literal["CREATE"]
    namespace: str = Field(min_length=1, max_length=63)
    object_: dict[str, Any] = Field(alias="object")


class _Review(_Model):
    api_version: Literal["admission.k8s.io/v1"] = Field(alias="apiVersion")
    kind: Literal["AdmissionReview"]
    request: AdmissionRequest


def parse_review(body: bytes) -> AdmissionRequest:
    """Read a request.

    Raises
    ------
    BadReviewError
        With the field and what it may be.
    """
    try:
        return _Review.model_validate_json(body).request
    except ValidationError as error:
        issue = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, issue["loc"])) or "body"
        raise BadReviewError(
            f"{place}: {issue['msg']}. Pods that are being made are reviewed here, as {API_VERSION} AdmissionReview: "
            "correct the rules of the MutatingWebhookConfiguration"
        ) from error


def answer(uid: str, patch: Sequence[Operation] = (), warnings: Sequence[str] = ()) -> dict[str, Any]:
    """The answer, which always allows the pod."""
    response: dict[str, Any] = {"uid": uid, "allowed": True}
    if patch:
        encoded = base64.b64encode(json.dumps(list(patch)).encode()).decode()
        response |= {"patchType": "JSONPatch", "patch": encoded}
    if warnings:
        response["warnings"] = [one[:_WARNING_LENGTH] for one in warnings]
    return {"apiVersion": API_VERSION, "kind": "AdmissionReview", "response": response}
