"""What a job reads besides the topics of its own cluster: other jobs' tables, owners, rates, a second cluster."""

from __future__ import annotations

from typing import Any, Final

from kwitness.contracts.job_config import JobTopics, SecondCluster
from kwitness.contracts.job_inputs import JOB_INPUTS, JobInputs, NamedJob
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.resources.analytics_job import AnalyticsJob
from kwitness.contracts.resources.analytics_parameters import MirrorAuditParameters, MirrorTarget
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.spelling import word_of
from kwitness.operator.desired.kafka_client_files import KafkaClientFiles, kafka_client_files
from kwitness.operator.environment.clusters import cluster_identity, cluster_named, present
from kwitness.operator.environment.needs import SETTLED_SECONDS, known_cluster, reference_needs
from kwitness.operator.environment.owners import owner_needs, owners_of
from kwitness.operator.kinds.analytics_job.config import table_folder
from kwitness.operator.kinds.analytics_job.found_inputs import FoundInputs
from kwitness.operator.kinds.analytics_job.runners import KIND
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.config_files import rate_card_in
from kwitness.operator.model.errors import OperatorError, TerminalError
from kwitness.operator.model.found_owners import NO_OWNERS
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.references import cluster_key
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import KafkaState, NamedObject, Watched
from kwitness.operator.shapes.work import Need, View

__all__ = ["input_needs", "inputs_of"]

_TOPICS_ALONE: Final = JobInputs()


def input_needs(key: Key, job: AnalyticsJob, view: View) -> set[Need]:
    """What decides on them."""
    reads, parameters = _reads(job), _parameters(job)
    found = {Need(Watched(KIND, Key(key.namespace, name))) for _, name in _named_jobs(reads, parameters)}
    if reads.rate_card:
        rate_card = getattr(parameters, reads.rate_card)
        found.add(Need(NamedObject("ConfigMap", Key(key.namespace, rate_card.name)), SETTLED_SECONDS))
    if reads.owners:
        cluster = known_cluster(view, cluster_key(key.namespace, job.spec.cluster_ref))
        found |= set() if cluster is None else owner_needs(cluster, view)
    if reads.second_cluster:
        target: MirrorTarget = getattr(parameters, reads.second_cluster)
        found |= reference_needs(key, cluster_key(key.namespace, target.cluster_ref), view)
    return found


def inputs_of(job: AnalyticsJob, cluster: KafkaCluster, cluster_id: str, view: View) -> FoundInputs:
    """Find them.

    Raises
    ------
    OperatorError
        NoInput, InputInvalid, MirrorIsSource; what `cluster_named` and `cluster_identity` raise of a second cluster; or
        it could not be found out.
    """
    reads, parameters = _reads(job), _parameters(job)
    tables = {named.type: _table(job, cluster, named, name, view) for named, name in _named_jobs(reads, parameters)}
    verdicts: list[Verdict] = []
    rate_card = None
    if reads.rate_card:
        reference, namespace = getattr(parameters, reads.rate_card), job.metadata.namespace
        body = present(view, NamedObject("ConfigMap", Key(namespace, reference.name)))
        rate_card = rate_card_in(body, reference, namespace)
        verdicts.append(_about_rates(rate_card, reference.name))
    found = owners_of(cluster, view) if reads.owners else NO_OWNERS
    owners = found.owners
    if owners is None and "Team" in getattr(parameters, "group_by", ()):
        why = found.trouble or f"KafkaCluster {cluster.metadata.name} has no spec.owners"
        raise TerminalError(
            "NoInput", f"costs cannot be told by team: {why}; correct that, or leave Team out of groupBy"
        )
    verdict = found.verdict("rows")
    if verdict is not None:
        verdicts.append(verdict)
    if not reads.second_cluster:
        return FoundInputs(tables, owners, rate_card, verdicts=tuple(verdicts))
    second, files = _second(job, cluster, cluster_id, parameters, view)
    return FoundInputs(tables, owners, rate_card, second, files, tuple(verdicts))


def _reads(job: AnalyticsJob) -> JobInputs:
    return JOB_INPUTS.get(job.spec.analysis.type, _TOPICS_ALONE)


def _parameters(job: AnalyticsJob) -> Any:
    """The settings of the job's type; None where there are none."""
    analysis = job.spec.analysis
    name, fields = word_of(analysis.type), type(analysis.parameters).model_fields.items()
    return next((getattr(analysis.parameters, one) for one, field in fields if field.alias == name), None)


def _named_jobs(reads: JobInputs, parameters: Any) -> list[tuple[NamedJob, str]]:
    references = ((named, getattr(parameters, named.parameter)) for named in reads.tables)
    return [(named, reference.name) for named, reference in references if reference is not None]


def _table(job: AnalyticsJob, cluster: KafkaCluster, named: NamedJob, name: str, view: View) -> str:
    """Where the table of another job is."""
    key = Key(job.metadata.namespace, name)
    at = Key(cluster.metadata.namespace, cluster.metadata.name)
    body = view[Watched(KIND, key)].value
    if body is None:
        raise TerminalError(
            "NoInput",
            f"there is no AnalyticsJob {name} in this namespace: apply one of type {named.type} with that name for"
            f" KafkaCluster {at}, or correct {_path(job)}.{_spelled(named.parameter)}",
        )
    try:
        other = parse_resource(AnalyticsJob, body)
    except OperatorError as error:
        raise TerminalError("InputInvalid", f"AnalyticsJob {name} cannot be read: see its status") from error
    other_at = cluster_key(key.namespace, other.spec.cluster_ref)
    other_type = other.spec.analysis.type
    if (other_type, other_at) != (named.type, at):
        raise TerminalError(
            "InputInvalid",
            f"AnalyticsJob {name} is of type {other_type} and of KafkaCluster {other_at}: name one of type"
            f" {named.type} and of KafkaCluster {at} in {_path(job)}.{_spelled(named.parameter)}",
        )
    return f"{table_folder(other, view.settings)}/table"


def _about_rates(rate_card: RateCard, name: str) -> Verdict:
    if not rate_card.holes:
        return Verdict("RatesComplete", "True", "RatesGiven", f"ConfigMap {name} has all rates")
    message = (
        f"ConfigMap {name} has no {', '.join(rate_card.holes)}, so what they are for costs nothing: add them, with 0"
        " where that is meant"
    )
    return Verdict("RatesComplete", "False", "RateMissing", message)


def _second(
    job: AnalyticsJob, cluster: KafkaCluster, cluster_id: str, parameters: MirrorAuditParameters, view: View
) -> tuple[SecondCluster, KafkaClientFiles]:
    """The cluster of a mirror, and how drivers connect to it."""
    namespace, target, where = job.metadata.namespace, parameters.target, f"{_path(job)}.target"
    second = cluster_named(target.cluster_ref, namespace, view, where=where)
    at = cluster_key(namespace, target.cluster_ref)
    second_id, _ = cluster_identity(view[KafkaState(at)].value, at.name)
    if (second_id, second.spec.topics.prefix) == (cluster_id, cluster.spec.topics.prefix):
        raise TerminalError(
            "MirrorIsSource",
            f"KafkaCluster {at} is the source itself, Kafka cluster {cluster_id} with topics"
            f" {cluster.spec.topics.prefix}*: name the KafkaCluster of the mirror in {where}.clusterRef",
        )
    files = kafka_client_files(
        second, namespace, target.authentication, target.tls, view.settings.credentials, prefix="second"
    )
    topics = JobTopics.with_prefix(second.spec.topics.prefix)
    return SecondCluster(cluster_id=second_id, kafka=files.connection, topics=topics), files


def _path(job: AnalyticsJob) -> str:
    return f"spec.analyses[0].parameters.{word_of(job.spec.analysis.type)}"


def _spelled(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(one.capitalize() for one in rest)
