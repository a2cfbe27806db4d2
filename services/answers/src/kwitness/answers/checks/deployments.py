"""The operator and the injector: there once, available, and of one version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from .facts import DeploymentFacts, InstallationFacts
from .finding import Finding, error, ok, warning

__all__ = ["check_certificate", "check_injector", "check_operator"]

OPERATOR: Final = "Operator"
INJECTOR: Final = "Injector"
CERTIFICATE: Final = "WebhookCertificate"
_DAY_S: Final = 86_400
_WARN_DAYS: Final = 7
"""The injector makes a certificate for longer than that, and the next one before; cert-manager does likewise."""


def check_operator(facts: InstallationFacts) -> Iterator[Finding]:
    """Whether one operator is there and works."""
    if facts.operators is None and not facts.by_person:
        return
    if facts.operators is None:
        yield warning(
            OPERATOR,
            "Deployment kwitness-operator",
            "you may not list Deployments, so whether the operator runs is not known",
            "name its namespace by -n, or ask for the permission to list deployments.apps",
        )
        return
    if not facts.operators:
        yield error(
            OPERATOR,
            "Deployment kwitness-operator",
            "there is none where you may look: nothing changes and statuses grow old",
            "install the chart, or name its namespace by -n",
        )
        return
    if len(facts.operators) > 1:
        where = ", ".join(sorted(one.namespace for one in facts.operators))
        yield warning(
            OPERATOR,
            "Deployment kwitness-operator",
            f"there are several, in the namespaces {where}",
            "see that each watches namespaces of its own (Helm value watchNamespaces)",
        )
    for one in facts.operators:
        yield _available(OPERATOR, one)


def check_injector(facts: InstallationFacts) -> Iterator[Finding]:
    """Whether the injector works, where there is one."""
    for one in facts.injectors or ():
        yield _available(INJECTOR, one)


def check_certificate(facts: InstallationFacts) -> Iterator[Finding]:
    """Whether the certificate of the injector's webhook is good for a while."""
    if not facts.injectors:
        return
    subject = _name(facts.injectors[0])
    remedy = (
        f"see the injector's log: kubectl logs -n {facts.injectors[0].namespace} deployment/{facts.injectors[0].name}; "
        "with cert-manager see its Certificate"
    )
    if facts.certificate_expiry_s is None:
        yield warning(CERTIFICATE, subject, "when its certificate ends is not known", remedy)
        return
    left_s = facts.certificate_expiry_s - facts.now_s
    days = int(left_s // _DAY_S)
    if left_s <= 0:
        yield error(CERTIFICATE, subject, "its certificate has ended: pods get no observers and interceptors", remedy)
    elif days < _WARN_DAYS:
        yield warning(CERTIFICATE, subject, f"its certificate ends in {days} days and was not renewed", remedy)
    else:
        yield ok(CERTIFICATE, subject, f"its certificate is good for {days} days")


def _available(check: str, one: DeploymentFacts) -> Finding:
    if one.ready >= one.wanted > 0:
        return ok(check, _name(one), f"{one.ready} of {one.wanted} replicas are ready")
    if one.wanted == 0:
        message = "it is scaled to 0, so nothing is done"
        return error(check, _name(one), message, f"kubectl scale {_ref(one)} --replicas=1")
    message = f"{one.ready} of {one.wanted} replicas are ready{f': {one.message}' if one.message else ''}"
    remedy = f"kubectl describe {_ref(one)}, and the log: kubectl logs {_ref(one)}"
    return (warning if one.ready else error)(check, _name(one), message, remedy)


def _name(one: DeploymentFacts) -> str:
    return f"Deployment {one.namespace}/{one.name}"


def _ref(one: DeploymentFacts) -> str:
    return f"-n {one.namespace} deployment/{one.name}"


def versions_of(deployments: Sequence[DeploymentFacts] | None) -> list[tuple[str, str]]:
    """Who has which version, for `versions`."""
    return [(_name(one), one.version) for one in deployments or () if one.version]
