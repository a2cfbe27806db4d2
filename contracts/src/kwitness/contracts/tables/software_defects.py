"""Generated from contracts/registry/software_defects.yaml by `make generate`; do not edit."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from kwitness.contracts.registry_entries import SoftwareDefect

ENTRIES: tuple[SoftwareDefect, ...] = (
    SoftwareDefect(id="CrashOnUnknownMetrics", harm="Crash", software="librdkafka", affected=(((2, 5, 0), (2, 5, 2)),), fixed_in=("2.5.3",), effect="aborts its process when it is asked for a prefix that it has no metric for", source="librdkafka CHANGELOG, 2.5.3, telemetry fixes, #4826"),
    SoftwareDefect(id="DisconnectOnNullPush", harm="Disconnect", software="librdkafka", affected=(((2, 5, 3), (2, 10, 0)),), fixed_in=("2.10.1",), effect="pushes a null payload when it is asked for something and has none of it, whereupon the broker closes the connection, at each push", source="librdkafka CHANGELOG, 2.10.1, telemetry fixes, #4912"),
    SoftwareDefect(id="LostMetricNames", harm="Lost", software="librdkafka", affected=(((2, 5, 0), (2, 10, 0)),), fixed_in=("2.10.1",), effect="reads requested names beyond their end, so that it leaves out some metrics that it has", source="librdkafka CHANGELOG, 2.10.1, telemetry fixes, #5105"),
    SoftwareDefect(id="WrongDoubledMetrics", harm="Wrong", software="librdkafka", affected=(((2, 5, 0), (2, 10, 0)),), fixed_in=("2.10.1",), effect="sends a metric again for each further prefix that it fits, so that one push has it several times", source="librdkafka CHANGELOG, 2.10.1, telemetry fixes, #5104"),
    SoftwareDefect(id="WrongPollRatio", harm="Wrong", software="librdkafka", affected=(((2, 6, 0), (2, 10, 1)),), fixed_in=("2.11.0",), effect="computes a consumer's poll.idle.ratio.avg from several queues as if they were one, where a queue is forwarded to another", source="librdkafka CHANGELOG, 2.11.0, telemetry fixes, #5017"),
    SoftwareDefect(id="CostlyUncompressedPushes", harm="Costly", software="librdkafka", affected=(((2, 5, 0), (2, 11, 1)),), fixed_in=("2.12.0",), effect="pushes uncompressed on big-endian machines, since it misreads which compression brokers accept", source="librdkafka CHANGELOG, 2.12.0, telemetry fixes, #5183"),
    SoftwareDefect(id="WrongSoftwareOfConnections", harm="Wrong", software="kgo", affected=(((1, 0, 0), (1, 20, 7)),), fixed_in=("1.21.0",), effect="announces its name and version on the first connection to each broker alone, so that further ones count as software unknown, and subscriptions by software miss them", source="franz-go CHANGELOG, 1.21.0"),
    SoftwareDefect(id="LostAllMetrics", harm="Lost", software="kgo", affected=(((1, 20, 4), (1, 20, 4)),), fixed_in=("1.20.5",), effect="pushes no metrics", source="franz-go CHANGELOG, 1.20.5"),
    SoftwareDefect(id="WrongRatesAndMeans", harm="Wrong", software="kgo", affected=(((1, 19, 0), (1, 21, 3)),), fixed_in=("1.21.4",), effect="computes metrics that end in .rate and .avg wrongly; some never change", source="franz-go CHANGELOG, 1.21.4"),
    SoftwareDefect(id="LostLastPush", harm="Lost", software="kgo", affected=(((1, 19, 0), (1, 21, 3)),), fixed_in=("1.21.4",), effect="sends no terminating push when it is closed, so that it seems to have stopped without a last word", source="franz-go CHANGELOG, 1.21.4"),
    SoftwareDefect(id="LostAfterAttribute", harm="Lost", software="kgo", affected=(((1, 19, 0), (1, 21, 3)),), fixed_in=("1.21.4",), effect="stops to push for good once the application gives a metric an attribute of a type that it does not know", source="franz-go CHANGELOG, 1.21.4"),
    SoftwareDefect(id="LostAfterDisconnect", harm="Lost", software="apache-kafka-java", affected=(((3, 7, 0), (3, 9, 2)), ((4, 0, 0), (4, 0, 1)), ((4, 1, 0), (4, 1, 0))), fixed_in=("4.0.2", "4.1.1"), effect="turns its telemetry off for weeks, or until it is restarted, when a connection ends while a telemetry request is under way, as at a broker's restart", source="Apache Kafka, KAFKA-19747, apache/kafka#20661"),
    SoftwareDefect(id="LostWithoutCompressionLibrary", harm="Lost", software="apache-kafka-java", affected=(((3, 7, 0), (3, 9, 1)), ((4, 0, 0), (4, 0, 0))), fixed_in=("3.9.2", "4.0.1"), effect="fails to push, with an error in its network thread, where the library of the compression that the broker prefers is not in the class path", source="Apache Kafka, apache/kafka#19881"),
)
