"""One line for each broker of a Kafka cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from kwitness.contracts.envelopes import BrokerState
from kwitness.contracts.resources.cluster_brokers import Brokers

__all__ = ["BROKER_HEADINGS", "BrokerRow", "broker_cells", "broker_rows"]

BROKER_HEADINGS: Final = ("ID", "ADDRESS", "RACK", "TELEMETRY", "PLUGIN", "KAFKA")


@dataclass(frozen=True, slots=True)
class BrokerRow:
    """One broker; what is not known is None."""

    id: int
    host: str | None = None
    port: int | None = None
    rack: str | None = None
    telemetry: bool | None = None
    plugin: str | None = None
    version: str | None = None

    def document(self) -> dict[str, Any]:
        """Return it as JSON values; what is not known is absent."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def broker_rows(brokers: Brokers, reported: Sequence[BrokerState]) -> list[BrokerRow]:
    """Return all brokers by id: the first of the status, and others as far as their plugins ``reported`` them."""
    rows = {broker.id: BrokerRow(**broker.model_dump()) for broker in brokers.first}
    states = {int(state.broker_id): state for state in reported if state.broker_id.isdecimal()}
    for node in sorted({*brokers.node_ids, *states} - rows.keys()):
        state = states.get(node)
        rows[node] = BrokerRow(
            id=node,
            telemetry=_answers_telemetry(brokers, state),
            plugin=None if state is None else state.plugin_version,
            version=None if state is None else state.kafka_version,
        )
    return [rows[node] for node in sorted(rows)]


def _answers_telemetry(brokers: Brokers, state: BrokerState | None) -> bool | None:
    if state is not None or brokers.telemetry == brokers.total:
        return True
    return False if brokers.telemetry == 0 else None


def broker_cells(row: BrokerRow) -> Sequence[Any]:
    """Return a line for `BROKER_HEADINGS`."""
    address = None if row.host is None else f"{row.host}:{row.port}"
    telemetry = None if row.telemetry is None else ("yes" if row.telemetry else "no")
    return row.id, address, row.rack, telemetry, row.plugin, row.version
