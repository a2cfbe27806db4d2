"""Keeping the certificate: a folder is read again, a Secret and the webhook configuration are brought up to date."""

from __future__ import annotations

import base64
import datetime as dt
import json
import logging
from functools import partial
from pathlib import Path
from typing import Any, Final

import aiohttp
from cryptography import x509

from kwitness.injector import metrics
from kwitness.injector.settings import CertificateSettings
from kwitness.runtime.api_failures import in_words

from .issuing import issue
from .rotation import Bundle, Keep, Rules, expiry, next_step, serving_pair
from .serving import ServingCertificate

__all__ = ["FolderCertificate", "SecretCertificate"]

Json = dict[str, Any]

_MOST_STEPS: Final = 4
"""In a round: a certificate is made and its authority told."""
_TIMEOUT: Final = aiohttp.ClientTimeout(total=15)

_LOG = logging.getLogger(__name__)


class FolderCertificate:
    """A certificate that others write and renew, such as cert-manager."""

    def __init__(self, serving: ServingCertificate, folder: Path) -> None:
        self._serving = serving
        self._folder = folder

    async def round(self) -> None:
        """Use what is in the folder."""
        try:
            certificate, key = ((self._folder / name).read_text() for name in ("tls.crt", "tls.key"))
            metrics.CERTIFICATE_EXPIRY.set(
                x509.load_pem_x509_certificate(certificate.encode()).not_valid_after_utc.timestamp()
            )
        except (OSError, ValueError) as error:
            _LOG.warning("There is no certificate in the folder", extra={"detail": str(error)})
            return
        self._serving.use(certificate, key)


class SecretCertificate:
    """A certificate of our own, shared by the replicas through a Secret."""

    def __init__(
        self,
        serving: ServingCertificate,
        settings: CertificateSettings,
        *,
        session: aiohttp.ClientSession,
        server: str,
        namespace: str,
    ) -> None:
        self._serving = serving
        self._session = session
        self._secret = f"{server}/api/v1/namespaces/{namespace}/secrets/{settings.secret}"
        self._webhook = (
            f"{server}/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/"
            f"{settings.webhook_configuration}"
        )
        lifetime = dt.timedelta(days=settings.lifetime_days)
        self._rules = Rules(
            names=settings.names,
            overlap=dt.timedelta(seconds=settings.overlap_seconds),
            issue=lambda now: issue(settings.names, now, lifetime),
        )

    async def round(self) -> None:
        """Take the steps that are due, and serve what the Secret holds."""
        try:
            for _ in range(_MOST_STEPS):
                if not await self._step():
                    return
        except aiohttp.ClientResponseError as error:
            _LOG.warning(
                "The certificate cannot be kept: check that Secret and MutatingWebhookConfiguration are there, and"
                " that the injector's Roles name them",
                extra={"detail": f"{error.status} for {error.request_info.real_url.path}"},
            )
        except (aiohttp.ClientError, TimeoutError) as error:
            _LOG.warning(
                "The API server cannot be asked for the certificate",
                extra={"detail": in_words(error)},
            )

    async def _step(self) -> bool:
        """Take one step; False where none is due, or another replica was faster."""
        secret = await self._get(self._secret)
        data = {name: _text(value) for name, value in (secret.get("data") or {}).items()}
        now = dt.datetime.now(dt.UTC)
        pair = serving_pair(data, now, self._rules.names)
        if pair is not None:
            self._serving.use(pair.certificate, pair.key)
            metrics.CERTIFICATE_EXPIRY.set(expiry(pair).timestamp())
        webhook = await self._get(self._webhook)
        match next_step(data, _told(webhook), now, self._rules):
            case Keep(kept, why):
                encoded = {name: base64.b64encode(text.encode()).decode() for name, text in kept.items()}
                done = await self._write("PUT", self._secret, {**secret, "data": encoded}, "application/json")
                _LOG.info("A certificate is made or changed", extra={"detail": why, "written": done})
                return done
            case Bundle(ca_certificates):
                bundle = base64.b64encode(ca_certificates.encode()).decode()
                version = {"op": "test", "path": "/metadata/resourceVersion", "value": _version(webhook)}
                paths = (f"/webhooks/{index}/clientConfig/caBundle" for index in range(len(webhook["webhooks"])))
                patch = [version, *({"op": "add", "path": path, "value": bundle} for path in paths)]
                return await self._write("PATCH", self._webhook, patch, "application/json-patch+json")
            case None:
                return False

    async def _get(self, url: str) -> Json:
        async with self._session.get(url, timeout=_TIMEOUT, raise_for_status=True) as answer:
            return dict(await answer.json())

    async def _write(self, method: str, url: str, body: Any, content_type: str) -> bool:
        call = partial(self._session.request, method, url, timeout=_TIMEOUT)
        async with call(data=json.dumps(body), headers={"Content-Type": content_type}) as answer:
            if answer.status in {409, 422}:  # Another replica wrote first.
                return False
            answer.raise_for_status()
            return True


def _told(webhook: Json) -> str:
    bundles = {one["clientConfig"].get("caBundle", "") for one in webhook["webhooks"]}
    return _text(bundles.pop()) if len(bundles) == 1 else ""


def _text(value: str) -> str:
    # Of what others wrote nothing is sure but base64.
    return base64.b64decode(value).decode(errors="replace")


def _version(webhook: Json) -> str:
    return str(webhook["metadata"]["resourceVersion"])
