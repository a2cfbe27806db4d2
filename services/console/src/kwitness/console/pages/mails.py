"""Makes addresses that open a mail to an owner."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

__all__ = ["mail_to"]

_ADDRESS: Final = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}")


def mail_to(contact: str | None, subject: str, body: str) -> str:
    """Return an address that opens a mail; without a recipient where the contact is no mail address."""
    recipient = contact if contact and _ADDRESS.fullmatch(contact) else ""
    lines = body.replace("\n", "\r\n")
    return f"mailto:{quote(recipient, safe='@')}?subject={quote(subject, safe='')}&body={quote(lines, safe='')}"
