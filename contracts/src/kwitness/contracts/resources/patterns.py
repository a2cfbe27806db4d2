r"""The regular expressions that every reader reads alike: Java in the broker, RE2 in operator and collector, Rust.

Languages that look alike differ in the corners: `[[a-z]]` is a nested class to Java, `(?U)` and `\b` mean other things,
`{` alone is an error there and a character elsewhere. So the grammar below lists what is allowed, and a test compares
Java and RE2 on random patterns of that grammar. What remains: Java's `.` leaves out more line separators than the line
feed, and its `\s` has the vertical tab.
"""

from __future__ import annotations

from .contract_model import Rule

__all__ = ["PATTERN_CHARACTERS", "PATTERN_RULES", "PORTABLE_PATTERN"]

PATTERN_CHARACTERS = r"^[!-~]([ -~]*[!-~])?$"
"""Printable ASCII; the broker cuts blanks at both ends, and ignores case in ASCII only."""

_ESCAPE = r"\\([dDwWsS]|x[0-9A-Fa-f]{2}|[!-/:-@[-`{-~ ])"
_CLASS = rf"\[\^?([^\\\[\]^]|{_ESCAPE})([^\\\[\]]|{_ESCAPE})*\]"
_ATOM = rf"([^\\\[\](){{}}|*+?^$]|{_ESCAPE}|{_CLASS}|\))"
_QUANTIFIER = r"([*+?]\??|\{[0-9]{1,3}\}\??)?"

PORTABLE_PATTERN = rf"^(\(\?i\))?\^?({_ATOM}{_QUANTIFIER}|\((\?:)?|\|)*\$?$"
"""RE2 syntax that a pattern must match; it must be valid besides."""

PATTERN_RULES = (
    # `true || error` is true in CEL, so validity is the condition of a ternary, which passes the error on.
    Rule(
        "''.matches(self) ? true : true",
        "must be a regular expression in RE2 syntax: no look-around, no back-references, no possessive quantifiers",
    ),
    Rule(
        r"!self.matches(r'[{][0-9]*,[0-9]*[}]')",
        "a bounded quantifier with a comma cannot be written in Kafka's match list: write it out, "
        "for example aa?a? for a{1,3}",
    ),
    Rule(
        "!self.contains('&&')", r"'&&' inside a character class means something else to the broker: write &\& instead"
    ),
    Rule(
        f"self.matches(r'{PORTABLE_PATTERN}')",
        r"not every reader reads this alike: use characters, . | ( ) (?:...) [...] * + ? {n} \d \w \s \xHH and escaped "
        r"punctuation, (?i) and ^ at the very start, $ at the very end; inside a class write \[ for '['",
    ),
)
"""Rules on one pattern."""
