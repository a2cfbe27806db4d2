"""Decompression of hostile bodies, codec by codec."""

from __future__ import annotations

import contextlib
import gzip
import os
import struct
import tracemalloc
import zlib

import cramjam
import lz4.frame
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from kwitness.collector.decompression import (
    CorruptCompressionError,
    TooLargeError,
    UnknownCompressionError,
    decompress,
)

LIMIT = 1024 * 1024


def _snappy(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data))


def _xerial(data: bytes) -> bytes:
    block = _snappy(data)
    return b"\x82SNAPPY\x00" + struct.pack(">II", 1, 1) + struct.pack(">I", len(block)) + block


CODECS = {
    "identity": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "lz4": lz4.frame.compress,
    "snappy": _snappy,
}
COMPRESSING = [name for name in CODECS if name != "identity"]


@pytest.mark.parametrize("codec", CODECS)
def test_what_was_compressed_comes_out_again(codec: str) -> None:
    data = os.urandom(5_000) * 50

    assert decompress(CODECS[codec](data), codec, LIMIT) == data


def test_snappy_in_javas_framing_comes_out_again() -> None:
    assert decompress(_xerial(b"telemetry" * 1000), "snappy", LIMIT) == b"telemetry" * 1000


@pytest.mark.parametrize("codec", CODECS)
def test_an_empty_body_stays_empty(codec: str) -> None:
    assert decompress(b"", codec, LIMIT) == b""


def test_several_gzip_members_and_zstd_frames_are_one_body() -> None:
    assert decompress(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip", LIMIT) == b"one two"
    zstd = zstandard.ZstdCompressor()
    assert decompress(zstd.compress(b"one ") + zstd.compress(b"two"), "zstd", LIMIT) == b"one two"
    assert decompress(lz4.frame.compress(b"one ") + lz4.frame.compress(b"two"), "lz4", LIMIT) == b"one two"


@pytest.mark.parametrize("codec", COMPRESSING)
def test_a_bomb_is_stopped_at_the_cap(codec: str) -> None:
    bomb = CODECS[codec](bytes(200 * 1024 * 1024))
    tracemalloc.start()

    with pytest.raises(TooLargeError):
        decompress(bomb, codec, LIMIT)

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 24 * 1024 * 1024


@pytest.mark.parametrize("codec", COMPRESSING)
def test_exactly_the_cap_is_accepted_and_one_byte_more_is_not(codec: str) -> None:
    assert len(decompress(CODECS[codec](bytes(LIMIT)), codec, LIMIT)) == LIMIT
    with pytest.raises(TooLargeError):
        decompress(CODECS[codec](bytes(LIMIT + 1)), codec, LIMIT)


@pytest.mark.parametrize("codec", COMPRESSING)
def test_a_truncated_stream_is_an_error_and_not_a_shorter_body(codec: str) -> None:
    whole = CODECS[codec](os.urandom(3_000))
    for length in (1, len(whole) // 2, len(whole) - 1):
        with pytest.raises(CorruptCompressionError):
            decompress(whole[:length], codec, LIMIT)


@pytest.mark.parametrize("codec", COMPRESSING)
@given(garbage=st.binary(min_size=1, max_size=200))
def test_garbage_is_refused_or_decoded_but_never_crashes(codec: str, garbage: bytes) -> None:
    with contextlib.suppress(CorruptCompressionError, TooLargeError):
        assert len(decompress(garbage, codec, LIMIT)) <= LIMIT


def test_a_zstd_window_larger_than_decoders_support_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=27)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    compressed = compressor.compress(b"x" * 100) + compressor.flush()

    with pytest.raises(CorruptCompressionError, match="8 MiB"):
        decompress(compressed, "zstd", LIMIT)


@pytest.mark.parametrize("name", ["br", "compress", "GZIP, zstd", "x" * 500])
def test_an_unknown_encoding_is_named_with_those_that_work(name: str) -> None:
    with pytest.raises(UnknownCompressionError, match="send identity, gzip"):
        decompress(b"", name, LIMIT)
