"""What the API server allows, and how an administrator gives what it refuses."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kwitness.answers.failure import NotPermittedError

__all__ = ["Permission", "not_permitted", "refusal"]

_WITHOUT_A_NAME = {"list", "watch", "create", "deletecollection"}


@dataclass(frozen=True, slots=True)
class Permission:
    """One verb on one resource, such as `serviceaccounts/token`; ``namespace`` None is the whole cluster."""

    verb: str
    resource: str
    namespace: str | None
    name: str | None = None

    def grant(self, user: str | None) -> str:
        """Return the commands by which it is given to ``user``, as the API server names users."""
        kind, where = ("clusterrole", "") if self.namespace is None else ("role", f" --namespace {self.namespace}")
        name = "-".join(["kwitness", self.verb, *re.findall("[a-z]+", re.sub(r"\.[^/]*", "", self.resource))])
        # Creation of an object has no name yet; that of a token or of a forwarded port has its object's.
        named = self.name is not None and (self.verb not in _WITHOUT_A_NAME or "/" in self.resource)
        only = f" --resource-name={self.name}" if named else ""
        account = re.fullmatch(r"system:serviceaccount:([^:]+):([^:]+)", user or "")
        whom = f"--serviceaccount={account[1]}:{account[2]}" if account else f"--user={user or 'NAME'}"
        return (
            f"kubectl create {kind} {name} --verb={self.verb} --resource={self.resource}{only}{where}\n"
            f"  kubectl create {kind}binding {name} --{kind}={name} {whom}{where}"
        )


def not_permitted(permission: Permission, said: str) -> NotPermittedError:
    """Make the error for what the API server refused, with what it ``said``."""
    user = re.search(r'User "([^"]+)" cannot ([a-z]+) ', said)
    # With a connection that is upgraded, a verb may be asked for that is not the one we think of.
    verb = user[2] if user else permission.verb
    missing = Permission(verb, permission.resource, permission.namespace, permission.name)
    return refusal(missing, user[1] if user else None)


def refusal(missing: Permission, user: str | None) -> NotPermittedError:
    """Make the error for a permission that ``user`` lacks; several resources are named with commas."""
    where = "in the whole cluster" if missing.namespace is None else f"in namespace {missing.namespace}"
    which = f" {missing.name}" if missing.name else ""
    return NotPermittedError(
        f"{user or 'you'} may not {missing.verb} {missing.resource}{which} {where}; an administrator allows it by\n"
        f"  {missing.grant(user)}",
        user,
    )
