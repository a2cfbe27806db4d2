"""Makes Kafka's own programs log to their standard output."""

from __future__ import annotations

__all__ = ["log4j2"]


def log4j2(level: str) -> str:
    """The properties of Log4j 2 that send what is of this level and above to the output."""
    return f"""\
status = ERROR
appender.console.type = Console
appender.console.name = STDOUT
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{{ISO8601}} %p %c %m%n
rootLogger.level = {level}
rootLogger.appenderRef.stdout.ref = STDOUT
"""
