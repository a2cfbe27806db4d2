"""Patterns of ``match``: which are allowed and how they are written into a broker config.

Kafka splits the ``match`` list at commas and each entry at ``=`` and refuses an entry of other than two parts
(``ClientMetricsConfigs.parseMatchingPatterns``), so neither character can appear as itself. Both have a hexadecimal
escape that Java, RE2 and Rust read alike.
"""

import re
from typing import Final

import re2

MAX_PATTERN_LENGTH: Final = 256
"""Characters; keeps the cost of a match on the broker's request thread bounded."""

_ESCAPES: Final = {",": r"\x2C", "=": r"\x3D"}
_QUANTIFIER: Final = re.compile(r"\{\d+,\d*\}")
# An RE2 parse error is an answer to the user here; the library's own copy on stderr would be noise.
_OPTIONS: Final = re2.Options()
_OPTIONS.log_errors = False


class InvalidPatternError(ValueError):
    """A pattern that cannot mean the same in the broker and here; the message says what to write instead."""


def compile_pattern(pattern: str) -> "re2._Regexp[str]":
    """Compile ``pattern`` as RE2.

    Raises
    ------
    InvalidPatternError
        If RE2 does not accept it.
    """
    try:
        return re2.compile(pattern, _OPTIONS)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        raise InvalidPatternError(
            f"pattern {pattern!r} is not RE2 syntax ({reason}); look-around, back-references and possessive"
            " quantifiers are not available"
        ) from error


def to_broker(pattern: str) -> str:
    r"""Write a pattern as it must stand in the broker's ``match`` list.

    ``,`` becomes ``\x2C``, ``=`` becomes ``\x3D``; blanks at the ends, which Kafka trims, become ``\x20``.

    Raises
    ------
    InvalidPatternError
        If the pattern is empty, too long, not RE2, quotes with ``\Q`` or has a bounded quantifier with a comma.
    """
    if not pattern:
        raise InvalidPatternError("pattern is empty, which matches no client; leave the selector out or write '.*'")
    if len(pattern) > MAX_PATTERN_LENGTH:
        raise InvalidPatternError(f"pattern has {len(pattern)} characters; at most {MAX_PATTERN_LENGTH} are allowed")
    if any(ord(character) < ord(" ") for character in pattern):
        raise InvalidPatternError(f"pattern {pattern!r} holds a control character; write it as an escape such as \\t")
    compile_pattern(pattern)
    written = "".join(_translated(pattern))
    stripped = written.strip(" ")
    left = len(written) - len(written.lstrip(" "))
    right = len(written) - len(written.rstrip(" "))
    return r"\x20" * left + stripped + r"\x20" * right


def _translated(pattern: str) -> list[str]:
    parts: list[str] = []
    position, in_class = 0, False
    while position < len(pattern):
        character = pattern[position]
        if character == "\\":
            following = pattern[position + 1]
            if following == "Q":
                raise InvalidPatternError(f"pattern {pattern!r} quotes with \\Q; escape the characters one by one")
            parts.append(_ESCAPES.get(following, character + following))
            position += 2
            continue
        if character == "{" and not in_class and (quantifier := _QUANTIFIER.match(pattern, position)):
            raise InvalidPatternError(
                f"pattern {pattern!r} has the quantifier {quantifier[0]}, whose comma Kafka reads as the end of the"
                " entry; write it out, for example 'aa?a?' for 'a{1,3}'"
            )
        # "]" directly after "[" or "[^" is a literal, in Java as in RE2.
        if character == "[" and not in_class:
            in_class = True
            opening = re.match(r"\[\^?\]?", pattern[position:])
            taken = opening[0] if opening else character
            parts.append(taken)
            position += len(taken)
            continue
        if character == "]":
            in_class = False
        parts.append(_ESCAPES.get(character, character))
        position += 1
    return parts
