import pytest

from kwitness.subscriptions.matching import pattern_matches
from kwitness.subscriptions.patterns import InvalidPatternError, to_broker


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("apache-kafka-java", "apache-kafka-java"),
        ("a,b", r"a\x2Cb"),
        ("a=b", r"a\x3Db"),
        (r"a\,b\=c", r"a\x2Cb\x3Dc"),
        (r"a\\,b", r"a\\\x2Cb"),
        ("[,=]", r"[\x2C\x3D]"),
        ("[]{1,2}]", r"[]{1\x2C2}]"),
        ("[^],]x", r"[^]\x2C]x"),
        (r"\{1,2}", r"\{1\x2C2}"),
        (" padded ", r"\x20padded\x20"),
        ("a{3}", "a{3}"),
        ("(a|b)+", "(a|b)+"),
    ],
)
def test_a_pattern_is_written_without_comma_and_equals_sign(pattern, written):
    assert to_broker(pattern) == written


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("a{1,3}", "write it out"),
        ("a{2,}", "write it out"),
        ("(?=x)", "look-around"),
        (r"(a)\1", "RE2"),
        ("a++", "RE2"),
        ("(", "RE2"),
        (r"\Qa,b\E", "one by one"),
        ("", "empty"),
        ("x" * 257, "256"),
        ("a\nb", "control character"),
    ],
)
def test_a_pattern_that_java_and_re2_read_differently_is_refused_with_a_hint(pattern, hint):
    with pytest.raises(InvalidPatternError, match=hint):
        to_broker(pattern)


@pytest.mark.parametrize(
    ("pattern", "value", "verdict"),
    [
        ("librdkafka", "librdkafka", True),
        ("librdkafka", "librdkafka-2", False),
        ("rdkafka", "librdkafka", False),
        (".*rdkafka.*", "confluent-rdkafka-2", True),
        (r"a\x2Cb", "a,b", True),
        (r"a\x3Db", "a=b", True),
        ("a|ab", "ab", True),
        ("(?=x)x", "x", None),
    ],
)
def test_the_whole_value_must_match(pattern, value, verdict):
    assert pattern_matches(pattern, value) is verdict
