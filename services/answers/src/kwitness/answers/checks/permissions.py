"""Permissions: what this command asks for in the name of the caller, and the caller may not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .facts import InstallationFacts
from .finding import Finding, note, ok, warning

__all__ = ["check_permissions", "check_refusals"]

PERMISSIONS: Final = "Permissions"
LOOKING: Final = "Looking"


def check_permissions(facts: InstallationFacts) -> Iterator[Finding]:
    """A finding for each permission that the caller lacks, or one for all."""
    lacking = [one for one in facts.permissions if not one.allowed]
    for one in lacking:
        resource = f"{one.resource}.{one.group}" if one.group else one.resource
        where = f"in namespace {one.namespace}" if one.namespace else "in all namespaces"
        named = f" {one.name}" if one.name else ""
        yield warning(
            PERMISSIONS,
            "you",
            f"you may not {one.verb} {resource}{named} {where}, which {one.needed_for} needs",
            "ask an administrator of the Kubernetes cluster for a Role with it: docs/guides/command.md has one",
        )
    if facts.permissions and not lacking:
        yield ok(PERMISSIONS, "you", f"you have the {len(facts.permissions)} permissions that this command needs")


def check_refusals(facts: InstallationFacts) -> Iterator[Finding]:
    """A finding for each question that was not answered; one for all of them where no person asked."""
    if not facts.by_person:
        yield from _left_to_people(facts)
        return
    for one in facts.refused:
        yield warning(LOOKING, one.what, f"it could not be looked at: {one.why}", "ask for the permission, or again")


def _left_to_people(facts: InstallationFacts) -> Iterator[Finding]:
    """Name what a pod may not look at: that is no problem of the installation, and says nothing about it."""
    subjects = [
        *(("CustomResourceDefinitions",) if facts.definitions is None else ()),
        *(("the Deployments of operator and injector",) if facts.operators is None else ()),
        *(refused.what for refused in facts.refused),
    ]
    if subjects:
        yield note(
            LOOKING,
            "what is not checked here",
            f"{', '.join(subjects)}: this pod has no permission to look at them",
            "kwitness doctor looks at them with your permissions",
        )
