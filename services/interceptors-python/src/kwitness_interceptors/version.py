"""The version that is reported; the repository's own."""

__all__ = ["VERSION"]

VERSION = "0.2.0"
