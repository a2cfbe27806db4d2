"""Collectors and drivers may be anybody's pods: whatever they answer, the operator holds little of it and goes on."""

from __future__ import annotations

import contextlib
import gzip
import resource
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest
from aiohttp import web

from kwitness.e2e.certificates import Authority
from kwitness.operator.adapters.http_json import JsonReader, outside_session
from kwitness.operator.adapters.own_tokens import OwnTokens
from kwitness.operator.model.errors import TransientError
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.drivers import ask_driver

from tests.eventually import patiently

MIB = 1024 * 1024
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@contextlib.asynccontextmanager
async def _reading(
    answer: Answer, *, server: ssl.SSLContext | None = None, ca_certificates: str | None = None
) -> AsyncIterator[Callable[..., Awaitable[object]]]:
    """Yield what asks a server that answers every request with ``answer``."""
    kubernetes = SimpleNamespace(request_token=AsyncMock(return_value="t"))
    application = web.Application()
    application.router.add_get("/", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=server).start()
    try:
        async with outside_session() as session:
            reader = JsonReader(session, OwnTokens(kubernetes, "kwitness", "operator"), "CollectorUnreachable")
            url = f"{'https' if server else 'http'}://127.0.0.1:{runner.addresses[0][1]}/"
            yield lambda trusted=ca_certificates: reader.get(url, audience="a", ca_certificates=trusted)
    finally:
        await runner.cleanup()


async def test_an_answer_without_a_length_is_read_no_further_than_its_bound():
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        with contextlib.suppress(ConnectionError):
            while True:
                await response.write(b" " * MIB)
                sent += 1
        return response

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with _reading(endless) as ask:
        with pytest.raises(TransientError, match="more than 4194304 bytes"):
            await patiently(ask())
    assert sent < 64
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


async def test_a_compressed_answer_is_not_blown_up():
    bomb = gzip.compress(b" " * 64 * MIB)

    async def compressed(_: web.Request) -> web.StreamResponse:
        return web.Response(body=bomb, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with _reading(compressed) as ask:
        with pytest.raises(TransientError, match="does not answer"):
            await ask()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 32 * 1024


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"<html>sign in</html>", id="a login page"),
        pytest.param(b"\xff\xfe{}", id="no text"),
        pytest.param(b"[" * 200_000, id="nested without end"),
    ],
)
async def test_an_answer_that_is_no_json_is_an_error_with_our_words(body):
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(body=body, content_type="application/json")

    async with _reading(answer) as ask:
        with pytest.raises(TransientError, match="does not answer") as caught:
            await ask()
    assert "sign in" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "no certificate", "-----BEGIN CERTIFICATE-----\n%\n-----END CERTIFICATE-----"])
async def test_nobody_is_asked_whose_authority_is_no_certificate(text):
    async with outside_session() as session:
        kubernetes = SimpleNamespace(request_token=AsyncMock(return_value="t"))
        reader = JsonReader(session, OwnTokens(kubernetes, "kwitness", "operator"), "CollectorUnreachable")
        with pytest.raises(TransientError, match="caConfigMapRef holds no PEM certificate") as caught:
            await reader.get("https://127.0.0.1:1/", audience="a", ca_certificates=text)
    assert caught.value.reason == "CollectorUnreachable"


async def test_an_authority_among_names_in_any_language_is_trusted_and_no_other(tmp_path):
    ours, others = Authority("ours"), Authority("others")
    issued = ours.issue("collector", ["127.0.0.1"])
    (tmp_path / "tls.pem").write_text(issued.certificate + issued.key)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "tls.pem")

    async def answer(_: web.Request) -> web.StreamResponse:
        return web.json_response({})

    bundle = f"# Autoridad de Certificación, 認証局\n{ours.certificate}"
    async with _reading(answer, server=server, ca_certificates=bundle) as ask:
        assert await ask() == {}
    async with _reading(answer, server=server, ca_certificates=others.certificate) as ask:
        with pytest.raises(TransientError, match="ClientConnectorCertificateError"):
            await ask()


async def test_authorities_in_turn_keep_their_connections(tmp_path):
    authority = Authority("ours")
    issued = authority.issue("collector", ["127.0.0.1"])
    (tmp_path / "tls.pem").write_text(issued.certificate + issued.key)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(tmp_path / "tls.pem")
    peers = set()

    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        peers.add(request.transport.get_extra_info("peername"))
        return web.json_response({})

    bundles = [f"# of collector {number}\n{authority.certificate}" for number in range(3)]
    async with _reading(answer, server=server) as ask:
        for bundle in bundles * 4:
            assert await ask(bundle) == {}
    assert len(peers) == len(bundles)


async def test_a_small_answer_in_pieces_is_read():
    async def pieces(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        for piece in (b'{"clients"', b": 2", b"}"):
            await response.write(piece)
        return response

    async with _reading(pieces) as ask:
        assert await ask() == {"clients": 2}


@pytest.mark.parametrize("body", ['{"phase": "Dancing"}', "[]", '"Running"', '{"phase": "Running", "data_loss": [{}]}'])
async def test_a_driver_that_says_what_no_driver_says_has_said_nothing(body):
    async def answer(_: web.Request) -> web.StreamResponse:
        return web.Response(text=body, content_type="application/json")

    async with _reading(answer) as ask:
        drivers = SimpleNamespace(get=lambda _url, audience: ask())  # noqa: ARG005 - the reader's own audience
        context = SimpleNamespace(drivers=drivers, driver_url=lambda key: key.name)
        assert await ask_driver(context, Key("team-a", "inventory")) is None
