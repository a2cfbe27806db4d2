"""The example of Alertmanager's routes, as Alertmanager itself follows it: each owner gets its alerts, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest
import yaml

from kwitness.e2e.alertmanager import Alertmanager, Webhook
from kwitness.images.image_parts import REPOSITORY
from kwitness.sandbox.waiting import wait_until

from tests.chart.mail_server import Mail, MailServer
from tests.chart.test_monitoring import all_rules

pytestmark = pytest.mark.slow

EXAMPLE = REPOSITORY / "docs" / "examples" / "alertmanager.yml"
CLIENT = {"cluster_id": "c1", "severity": "warning"}
STUCK = {**CLIENT, "group_id": "billing", "topic": "sales", "owner": "billing", "contact": "billing@example.com"}
ALERTS: list[Mapping[str, str]] = [
    {"alertname": "KwitnessOperatorStalled", "severity": "warning", "resource": "pods"},
    {**CLIENT, "alertname": "KwitnessClientBrokerErrors", "client_id": "unowned", "error": "29"},
    {**CLIENT, "alertname": "KwitnessClientThrottled", "client_id": "chat", "owner": "chat", "contact": "#chat"},
    {
        **CLIENT,
        "alertname": "KwitnessClientThrottled",
        "client_id": "pay",
        "owner": "payments",
        "contact": "p@example.com",
    },
    {
        "alertname": "KwitnessClientRecordRetries",
        "severity": "info",
        "cluster_id": "c1",
        "client_id": "pay",
        "owner": "payments",
        "contact": "p@example.com",
    },
    {
        **CLIENT,
        "alertname": "KwitnessClientRecordErrors",
        "client_id": "o",
        "owner": "orders",
        "contact": "o@example.com",
    },
    {**STUCK, "alertname": "KwitnessClientGroupStuck"},
    {**STUCK, "alertname": "KwitnessClientGroupBehind"},
]
ANNOTATIONS = {
    "summary": "Producer o loses records.",
    "description": "They could not be sent.",
    "clients": "i1: User:o at 10.0.0.7.",
    "command": "kwitness why o",
    "runbook_url": "docs/operations/client-alerts.md#record-errors",
}


class Delivered(NamedTuple):
    """Notifications that arrived."""

    webhook: Webhook
    mails: list[Mail]

    def at(self, path: str) -> set[tuple[str, str]]:
        """Name and client or resource of each alert that a webhook got."""
        return {
            (alert["labels"]["alertname"], alert["labels"].get("client_id", alert["labels"].get("resource", "")))
            for place, body in self.webhook.received
            if place == path
            for alert in body["alerts"]
        }


def with_local_receivers(webhook: str, mail: str) -> str:
    """The example with addresses on loopback, and without the time that it waits for more alerts."""
    configuration: dict[str, Any] = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    configuration["global"] |= {"smtp_smarthost": mail, "smtp_require_tls": False}
    configuration["route"]["group_wait"] = "1s"
    for receiver in configuration["receivers"]:
        for hook in receiver.get("webhook_configs", ()):
            hook["url"] = hook["url"].replace("https://chat.example.com", webhook)
    return yaml.safe_dump(configuration)


@pytest.fixture(scope="module")
def delivered() -> Iterator[Delivered]:
    with (
        Webhook() as webhook,
        MailServer() as mail,
        Alertmanager(with_local_receivers(webhook.url, mail.address)) as manager,
    ):
        manager.send(ALERTS, ANNOTATIONS)
        found = Delivered(webhook, mail.mails)
        wait_until(
            lambda: len(found.at("/hooks/platform")) >= 3 and found.at("/hooks/payments") and len(mail.mails) >= 3,
            what="notifications",
        )
        yield found


def test_the_platforms_team_gets_what_has_no_owner_or_no_address(delivered: Delivered) -> None:
    assert delivered.at("/hooks/platform") == {
        ("KwitnessOperatorStalled", "pods"),
        ("KwitnessClientBrokerErrors", "unowned"),
        ("KwitnessClientThrottled", "chat"),
    }


def test_a_team_with_a_channel_gets_its_warnings_there(delivered: Delivered) -> None:
    assert delivered.at("/hooks/payments") == {("KwitnessClientThrottled", "pay")}


def test_each_other_owner_gets_a_mail_at_its_contact(delivered: Delivered) -> None:
    assert {(mail.to, mail.subject) for mail in delivered.mails} == {
        ("p@example.com", "payments: 1 alerts on your Kafka clients"),
        ("o@example.com", "orders: 1 alerts on your Kafka clients"),
        ("billing@example.com", "billing: 1 alerts on your Kafka clients"),
    }


def test_a_mail_has_the_clients_the_command_and_the_runbook(delivered: Delivered) -> None:
    mail = next(mail for mail in delivered.mails if mail.to == "o@example.com")

    assert mail.text.split("\r\n") == [
        "Producer o loses records.",
        "They could not be sent.",
        "Clients: i1: User:o at 10.0.0.7.",
        "kwitness why o",
        "docs/operations/client-alerts.md#record-errors",
        *[""] * 3,
    ]


def test_a_stuck_group_has_one_alert(delivered: Delivered) -> None:
    stuck = next(mail for mail in delivered.mails if mail.to == "billing@example.com")

    assert stuck.subject.startswith("billing: 1 alerts")


def test_alerts_that_the_example_names_exist() -> None:
    named = set(re.findall(r'alertname="(\w+)"', EXAMPLE.read_text(encoding="utf-8")))

    assert named
    assert named | {alert["alertname"] for alert in ALERTS} <= {rule.get("alert") for rule in all_rules()}
