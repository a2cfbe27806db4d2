"""The certificate that others renew, in a folder: who connects sees the newest good one."""

from __future__ import annotations

import asyncio
import datetime as dt
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kwitness.injector.certificates.issuing import Pair, issue
from kwitness.injector.certificates.keeping import FolderCertificate
from kwitness.injector.certificates.serving import ServingCertificate

NAME = "kwitness-injector.kwitness.svc"


@pytest.fixture
def serving() -> ServingCertificate:
    return ServingCertificate()


@pytest.fixture
async def port(serving: ServingCertificate) -> AsyncIterator[int]:
    """A server that closes each connection once it is made."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=serving.context)
    async with server:
        yield server.sockets[0].getsockname()[1]


def write(folder: Path, certificate: str, key: str) -> None:
    (folder / "tls.crt").write_text(certificate)
    (folder / "tls.key").write_text(key)


def made() -> Pair:
    return issue([NAME], dt.datetime.now(dt.UTC), dt.timedelta(days=1))


async def connects(port: int, authority: str) -> bool:
    try:
        _, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=ssl.create_default_context(cadata=authority), server_hostname=NAME
        )
    except OSError:
        return False
    writer.close()
    return True


async def test_nothing_is_served_before_there_is_a_certificate(serving, port: int, tmp_path: Path) -> None:
    await FolderCertificate(serving, tmp_path).round()

    assert not serving.ready
    assert not await connects(port, made().authority)


async def test_a_renewed_certificate_is_served_from_the_next_round_on(serving, port: int, tmp_path: Path) -> None:
    keeper, first, second = FolderCertificate(serving, tmp_path), made(), made()
    write(tmp_path, first.certificate, first.key)
    await keeper.round()
    assert await connects(port, first.authority)

    write(tmp_path, second.certificate, second.key)
    await keeper.round()

    assert await connects(port, second.authority)
    assert not await connects(port, first.authority)


@pytest.mark.parametrize("spoilt", ["certificate", "key", "both"])
async def test_a_certificate_that_does_not_fit_together_changes_nothing(
    serving, port: int, tmp_path: Path, spoilt: str
) -> None:
    keeper, good, other = FolderCertificate(serving, tmp_path), made(), made()
    write(tmp_path, good.certificate, good.key)
    await keeper.round()

    wrong = {"certificate": (other.certificate, good.key), "key": (good.certificate, other.key), "both": ("", "")}
    write(tmp_path, *wrong[spoilt])
    await keeper.round()

    assert serving.ready
    assert await connects(port, good.authority)
