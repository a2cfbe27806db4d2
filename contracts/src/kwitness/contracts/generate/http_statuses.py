"""Describes the statuses besides 200 of each kind of request, with the action of the caller."""

from __future__ import annotations

from kwitness.contracts.envelopes import EVENTS_CONTENT_TYPE, MAX_EVENTS_BYTES

__all__ = ["DIRECTING", "EVENTS", "READING", "READING_SUBSCRIPTIONS", "SENDING"]

Statuses = tuple[tuple[int, str], ...]

SENDING: Statuses = (
    (400, "The body is not what the schema says; do not send it again."),
    (401, "The token is missing, expired or unknown; read it again and resend."),
    (403, "The token's source may not speak for this cluster or client."),
    (413, "Too long (8 MiB, 64 MiB once decompressed), or above 500 pushes or 16 MiB of payloads; send less."),
    (415, "Content-Type or Content-Encoding is not known."),
    (503, "A durable sink did not take it, or it came too slowly; send the whole batch again after Retry-After."),
)
EVENTS: Statuses = (
    (400, "The compression is corrupt; do not send it again."),
    (401, "The token is missing, expired or unknown; read it again and resend."),
    (403, "Source, cluster or reported_by are not the token's, or the resource may not act in the pod's namespace."),
    (413, f"The body is longer than {2 * MAX_EVENTS_BYTES // 1024} KiB before compression; send less."),
    (415, f"Content-Type is not {EVENTS_CONTENT_TYPE}, or Content-Encoding is not known."),
    (421, "This replica is not the owner of the source; nothing is taken. Ask for the owner again."),
    (422, "The head is not what the schema says, or the lines are not as long as it says; send half of it."),
    (426, "The sender's version of the protocol is too old."),
    (503, "Not now; nothing is taken. Send it again after Retry-After."),
)
READING: Statuses = (
    (400, "A parameter is not what it may be."),
    (401, "The token is missing, expired or unknown."),
    (403, "The token's service account is no reader."),
    (404, "Unknown path, cluster or subscription."),
    (503, "The API server cannot be asked about the token; ask again after Retry-After."),
)
DIRECTING: Statuses = (
    (400, "The body is not what the schema says."),
    (401, "The token is missing, expired or unknown."),
    (403, "The token's service account is not the operator's."),
    (503, "Not every replica could be told; tell them again after Retry-After."),
)
READING_SUBSCRIPTIONS: Statuses = (
    (401, "The token is missing, expired or unknown; read it again."),
    (403, "The token is not that of an observer's pod, or no observer in its namespace answers clients' telemetry."),
)
