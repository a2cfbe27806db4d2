"""Sends requests over gRPC.

Source: OTLP specification 1.x, "OTLP/gRPC": codes that may be tried again, RESOURCE_EXHAUSTED with a ``RetryInfo``.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import grpc  # type: ignore[import-untyped]
import grpc.aio  # type: ignore[import-untyped]
from yarl import URL

from kwitness.collector.otlp.wire import BYTES, VARINT, fields, read_varint
from kwitness.collector.sinks.otlp_transport import TIMEOUT_S, AddressDeniedError, Answer, check_address
from kwitness.contracts.allowed_hosts import join_address
from kwitness.contracts.collector_config import ForwardConfig
from kwitness.contracts.denied_addresses import DeniedAddresses

_METHOD: Final = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
_CODE: Final = grpc.StatusCode
_RETRYABLE: Final = frozenset(
    {
        _CODE.CANCELLED,
        _CODE.DEADLINE_EXCEEDED,
        _CODE.ABORTED,
        _CODE.OUT_OF_RANGE,
        _CODE.UNAVAILABLE,
        _CODE.DATA_LOSS,
    }
)
_DETAILS: Final = "grpc-status-details-bin"
_RETRY_INFO: Final = b"google.rpc.RetryInfo"
_MAX_ANSWER: Final = 64 * 1024


class GrpcTransport:
    """One channel to the addresses that the endpoint's name has when it is made; made again after each failure.

    It connects directly: HTTP proxies are for `HttpTransport`.
    """

    def __init__(self, config: ForwardConfig, denied: DeniedAddresses) -> None:
        url = URL(config.endpoint)
        self._host, self._port, self._is_encrypted = url.host or "", url.port or 0, url.scheme == "https"
        self._ca_file = config.ca_file
        self._denied = denied
        self._channel: Any = None

    async def export(self, request: bytes, headers: Mapping[str, str]) -> Answer:
        """See `Transport.export`."""
        try:
            if self._channel is None:
                self._channel = await self._connected()
            call = self._channel.unary_unary(_METHOD)
            metadata = tuple((name.lower(), value) for name, value in headers.items())
            return Answer("accepted", content=await call(request, timeout=TIMEOUT_S, metadata=metadata))
        except grpc.aio.AioRpcError as error:
            return await self._failed(error)
        except AddressDeniedError:
            return Answer("denied")
        except (OSError, ValueError, TypeError):
            # No such name, no CA certificate, or a header that gRPC does not send: repaired by waiting.
            return Answer("again")

    async def _failed(self, error: Any) -> Answer:
        code = error.code()
        after_s = _retry_after_s(error.trailing_metadata())
        if code in _RETRYABLE or (code is _CODE.RESOURCE_EXHAUSTED and after_s is not None):
            await self.close()
            return Answer("again", after_s or 0.0)
        outcome: Any = "bad" if code in {_CODE.INVALID_ARGUMENT, _CODE.RESOURCE_EXHAUSTED} else "refused"
        return Answer(outcome, content=str(error.details()).encode("utf-8", "replace"), status=code.name)

    async def _connected(self) -> Any:
        check_address(self._host, self._denied)
        found = await asyncio.get_running_loop().getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
        family = found[0][0]
        addresses = [str(address[0]) for kind, _, _, _, address in found if kind == family]
        for address in addresses:
            check_address(address, self._denied)
        # The addresses themselves: a name that is resolved again could lead elsewhere.
        scheme = "ipv6" if family == socket.AF_INET6 else "ipv4"
        target = f"{scheme}:{','.join(join_address(address, self._port) for address in addresses)}"
        options = [
            ("grpc.enable_http_proxy", 0),
            ("grpc.default_authority", join_address(self._host, self._port)),
            ("grpc.max_receive_message_length", _MAX_ANSWER),
        ]
        compression = grpc.Compression.Gzip
        if not self._is_encrypted:
            return grpc.aio.insecure_channel(target, options=options, compression=compression)
        credentials = grpc.ssl_channel_credentials(await asyncio.to_thread(self._authorities))
        options.append(("grpc.ssl_target_name_override", self._host))
        return grpc.aio.secure_channel(target, credentials, options=options, compression=compression)

    def _authorities(self) -> bytes | None:
        """Read the CA certificates: of the configuration, else the system's; None for those that gRPC brings."""
        file = self._ca_file or ssl.get_default_verify_paths().cafile
        return Path(file).read_bytes() if file else None

    async def close(self) -> None:
        """See `Transport.close`."""
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()


def _retry_after_s(metadata: Any) -> float | None:
    """Return the whole seconds of a ``RetryInfo`` in the details of a status; None where there is none."""
    details = next((value for key, value in metadata or () if key == _DETAILS and isinstance(value, bytes)), b"")
    with suppress(IndexError, ValueError):
        for number, wire, _, content, following in fields(details, 0, len(details)):
            if number == 3 and wire == BYTES and _RETRY_INFO in details[content:following]:  # noqa: PLR2004 - details
                return _seconds(details, content, following)
    return None


def _seconds(data: bytes, start: int, end: int) -> float:
    """Read an ``Any`` (2: value) with a ``RetryInfo`` (1: delay) with a ``Duration`` (1: seconds)."""
    for number, wire, _, content, following in fields(data, start, end):
        if number == 2 and wire == BYTES:  # noqa: PLR2004 - the value
            for delay in fields(data, content, following):
                for field, kind, _, at, _ in fields(data, delay[3], delay[4]):
                    if (field, kind) == (1, VARINT):
                        return float(read_varint(data, at)[0])
    return 0.0
