"""Another Kafka cluster that a job compares with its own: its platform's topics, and what it says of itself.

It is read in batches when a run ends, from where the table's last commit says that it was read to until its ends as
they are then. Those positions are committed with the rows, beside those of the job's own cluster. A cluster that is
away does no harm to what is known of the other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

from kwitness.contracts.job_config import JobConfig
from kwitness.jobs.frame.cluster_state import ClusterState
from kwitness.jobs.frame.cluster_survey import ClusterSurvey, ClusterSurveyError
from kwitness.jobs.frame.kafka_frames import read_between
from kwitness.jobs.frame.kafka_log import KafkaLog
from kwitness.jobs.frame.kafka_options import KafkaSettingsError
from kwitness.jobs.frame.offsets import Positions, TopicPartition, behind

_LOG = logging.getLogger(__name__)
#: Records that are read at once.
_MOST_AT_ONCE = 1_000_000


class SecondClusterError(RuntimeError):
    """The second cluster does not answer."""


class Stretch(NamedTuple):
    """A part of the second cluster's topics: Kafka's rows, and to where all was read with it."""

    rows: DataFrame
    positions: Positions


class Comparison(NamedTuple):
    """What a job has at hand to compare two clusters.

    Attributes
    ----------
    session
        Of Spark.
    here
        What the job's own cluster says of itself.
    there
        What the other one says; None while it is away.
    compacted
        Of topics here, whether compaction may remove their records; those that do not say so are absent.
    first_after
        The timestamp of the first record here that is later than a time, by partition; None where there is none. What
        does not answer is absent.
    read
        Kafka's rows of small topics here; None where there are none, or they may not be read.
    """

    session: SparkSession
    here: ClusterState
    there: ClusterState | None
    compacted: Callable[[Iterable[str]], Mapping[str, bool]]
    first_after: Callable[[Mapping[TopicPartition, int]], Mapping[TopicPartition, int | None]]
    read: Callable[[Iterable[str]], DataFrame | None]


class SecondCluster:
    """A cluster that may be away.

    Parameters
    ----------
    options
        Client settings by Kafka's names.
    """

    def __init__(self, session: SparkSession, options: Mapping[str, str]) -> None:
        self._session = session
        self._options = options

    def stretches(self, topics: Iterable[str], since: Positions) -> Iterator[Stretch]:
        """Read what is there now and was not read yet; each is read when it is asked for.

        Raises
        ------
        SecondClusterError
            The cluster does not answer.
        """
        with self._answering(), _log(self._session, self._options) as log:
            names = sorted(set(topics) - set(log.missing(topics)))
            starts, ends = log.starts(names), log.ends(names)
        at = {where: _begin(where, since, starts, end) for where, end in ends.items()}
        while unread := behind(at, ends, starts):
            share = max(1, _MOST_AT_ONCE // len(unread))
            to = {where: min(ends[where], at[where] + share) for where in unread}
            with self._answering():
                rows = read_between(self._session, self._options, at, to)
            at = {**at, **to}
            yield Stretch(rows, {**since, **at})

    def survey(self) -> ClusterState:
        """What it says of itself.

        Raises
        ------
        SecondClusterError
            It does not answer.
        """
        try:
            return ClusterSurvey(self._session, self._options).read()
        except ClusterSurveyError as error:
            raise SecondClusterError(str(error)) from error

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except Py4JJavaError as error:
            # Its text may hold what is nobody's business.
            reason = error.java_exception.getClass().getSimpleName()
            raise SecondClusterError(f"the second cluster does not answer: {reason}") from error


def read_all(session: SparkSession, options: Mapping[str, str], topics: Iterable[str]) -> DataFrame | None:
    """Kafka's rows of topics that are small, as they are now; None where there are none, or they may not be read."""
    try:
        with _log(session, options) as log:
            names = sorted(set(topics) - set(log.missing(topics)))
            starts, ends = log.starts(names), log.ends(names)
            filled = {where: end for where, end in ends.items() if end > starts[where]}
            if not filled:
                return None
            # Whether records may be read is known only by reading one.
            log.oldest_timestamp_ms({where: starts[where] for where in filled})
            return read_between(session, options, starts, filled)
    except Py4JJavaError as error:
        _LOG.warning("%s could not be read: %s", ", ".join(topics), error.java_exception.getClass().getSimpleName())
        return None


def refuse_the_same(config: JobConfig) -> None:
    """A second cluster that is the first one would be compared with itself.

    Raises
    ------
    KafkaSettingsError
        `MirrorIsSource`.
    """
    second = config.second
    # Without ids only the brokers can tell, when they are asked.
    if second and second.cluster_id and (second.cluster_id, second.topics) == (config.cluster_id, config.topics):
        raise KafkaSettingsError(
            "MirrorIsSource",
            f"the second cluster is the first one, {config.cluster_id} with the same topics of the platform: name the "
            "KafkaCluster of the mirror",
        )


def _begin(where: TopicPartition, since: Positions, starts: Positions, end: int) -> int:
    """Where to go on; a topic that ends before that is another one of the same name."""
    known = since.get(where, 0)
    start = starts.get(where, 0)
    if known > end:
        _LOG.warning("%s-%d of the second cluster ends before offset %d: it is another topic", *where, known)
        return start
    if where in since and known < start:
        _LOG.warning("%s-%d of the second cluster: offsets %d to %d were gone", *where, known, start - 1)
    return max(known, start)


@contextmanager
def _log(session: SparkSession, options: Mapping[str, str]) -> Iterator[KafkaLog]:
    log = KafkaLog(session, options)
    try:
        yield log
    finally:
        log.close()
