"""Label names and values that are safe to expose although anyone may have chosen them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

MAX_VALUE: Final = 128
"""Characters of a label value; a client id may hold 32 KiB of anything."""
_HASH_DIGITS: Final = 8
_OTHER: Final = "other"
MAX_ATTRIBUTE_SETS: Final = 50_000
"""Sets of attributes whose text is remembered."""
_OF_TARGETS: Final = ("namespace", "job", "instance", "pod", "container", "service", "endpoint", "node")
"""Labels that Prometheus and its operator give to a scraped pod; where labels are honoured, an attribute would replace
them."""
RESERVED: Final = frozenset({"le", "quantile", "__name__", *_OF_TARGETS})
"""Labels with a meaning of their own in the exposition."""
_INVALID: Final = re.compile(r"[^a-zA-Z0-9_]")
_UNSAFE: Final = re.compile("[\x00-\x1f\x7f\x80-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line separators and lone surrogates: no terminal and no parser wants to meet them."""
_ESCAPED: Final = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def label_name(name: str, taken: Collection[str] = ()) -> str:
    """Translate an attribute's key; one that would pose as a label in ``taken`` gets ``exported_`` in front.

    Source: OpenTelemetry's "Prometheus and OpenMetrics compatibility", attributes.
    """
    clean = _INVALID.sub("_", name)[:MAX_VALUE] or "_"
    if clean[0].isdigit():
        clean = f"key_{clean}"
    if clean.startswith("__"):
        clean = f"key{clean}"
    return f"exported_{clean}" if clean in taken or clean in RESERVED else clean


def label_value(value: str) -> tuple[str, bool]:
    """Bound a value to `MAX_VALUE` characters without control characters; says whether it had to be changed.

    A changed value ends in a hash of the original, so that two values never become one.
    """
    if len(value) <= MAX_VALUE and not _UNSAFE.search(value):
        return value, False
    kept = _UNSAFE.sub("\ufffd", value[: MAX_VALUE - _HASH_DIGITS - 1])
    return f"{kept}~{_digest(value)}", True


def label_pattern(pattern: str) -> str:
    """Return the pattern that bounded values fit whose originals fit ``pattern``, as far as their text was kept."""
    if not pattern.endswith("*"):
        return label_value(pattern)[0]
    return _UNSAFE.sub("\ufffd", pattern)


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]


def escape(value: str) -> str:
    """Escape a label value for the text formats."""
    return value.translate(_ESCAPED)


def escape_help(text: str) -> str:
    """Escape a help text for both text formats."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def render(pairs: Iterable[tuple[str, str]]) -> str:
    """Write label pairs, whose values are already bounded, without the braces."""
    return ",".join(f'{name}="{escape(value)}"' for name, value in pairs)


class LabelWriter:
    """Writes identity and attributes as label text, and counts per label how many values it had to change."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.keys = keys
        self.cut: dict[str, int] = {}
        self._of_attributes: dict[tuple[tuple[str, str], ...], str] = {}

    def identity(self, identity: Mapping[str, str]) -> str:
        """Write the configured identity keys that are known, in their configured order."""
        text = render((key, self._bounded(key, identity[key])) for key in self.keys if identity.get(key))
        # A client of that name is not what did not fit the budget.
        return text if text != self.other() else render((key, self._changed(key, identity[key])) for key in self.keys)

    def attributes(self, attributes: tuple[tuple[str, str], ...]) -> str:
        """Write a point's own attributes, sorted by name; keys that fall together are joined by a semicolon."""
        text = self._of_attributes.get(attributes)
        if text is None:
            text = self._write(attributes)
            if len(self._of_attributes) < MAX_ATTRIBUTE_SETS:
                self._of_attributes[attributes] = text
        return text

    def _write(self, attributes: tuple[tuple[str, str], ...]) -> str:
        found: dict[str, str] = {}
        for key, value in sorted(attributes):
            name = label_name(key, self.keys)
            found[name] = f"{found[name]};{value}" if name in found else value
        return render((name, self._bounded("attribute", value)) for name, value in sorted(found.items()) if value)

    def other(self) -> str:
        """Write the labels of the series that holds what did not fit the budget."""
        return render((key, _OTHER) for key in self.keys) or 'series="other"'

    def _changed(self, label: str, value: str) -> str:
        self.cut[label] = self.cut.get(label, 0) + 1
        return f"{value}~{_digest(value)}"

    def _bounded(self, label: str, value: str) -> str:
        bounded, changed = label_value(value)
        if changed:
            self.cut[label] = self.cut.get(label, 0) + 1
        return bounded
