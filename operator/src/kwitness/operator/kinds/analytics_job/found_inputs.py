"""What a job reads besides the topics of its own cluster, once it was found."""

from __future__ import annotations

from dataclasses import dataclass, field

from kwitness.contracts.job_config import SecondCluster
from kwitness.contracts.owners import OwnerList
from kwitness.contracts.rate_card import RateCard
from kwitness.contracts.resources.analyses import AnalyticsJobType
from kwitness.operator.desired.kafka_client_files import KafkaClientFiles
from kwitness.operator.model.conditions import Verdict

__all__ = ["FoundInputs"]


@dataclass(frozen=True, slots=True)
class FoundInputs:
    """``tables`` are paths by the type of their job; ``verdicts`` say what the job goes on without."""

    tables: dict[AnalyticsJobType, str] = field(default_factory=dict)
    owners: OwnerList | None = None
    rate_card: RateCard | None = None
    second: SecondCluster | None = None
    second_files: KafkaClientFiles | None = None
    verdicts: tuple[Verdict, ...] = ()
