"""Two tenants at one collector: each has clients in pods, clients beside them, topics, groups and connections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from tests.collector.collector_process import CollectorProcess
from tests.collector.collector_samples import CLUSTER, CREATION_TOTAL, batch, counter_push, push
from tests.collector.event_samples import connection, listed, row
from tests.collector.event_samples import request as events
from tests.collector.interceptor_samples import REPORTER, interceptors_request, statistics
from tests.collector.otlp_requests import post, request
from tests.collector.test_observers_pushes import of_observer
from tests.collector.window_samples import LENGTH_MS, behind, end_before_now, produced, requested, window
from tests.eventually import eventually

PRINTABLE = "".join(map(chr, range(32, 127))) + "ü漢"
"""Every printable character of ASCII, and some others."""
INSTANCES = 6


class Tenant:
    """A namespace, and names that have the tenant's name in them; answers have its traffic for three windows."""

    def __init__(self, name: str, *, window_ms: int = LENGTH_MS) -> None:
        self.name = name
        self.window_ms = window_ms
        self.team = f"{name} team {PRINTABLE}"
        self.pod, self.gateway = f"{name}/{name}-app-1", f"infra/gateway-{name}"
        self.in_pod = {"client_id": f"{name}-in-pod {PRINTABLE}", "principal": f"User:{name}"}
        self.outside = {"client_id": f"{name}-outside", "principal": f"User:{name}-outside"}
        self.reader, self.owner = f"{name}-reader", f"{name}-owner"
        self.instances = [f"{name}-{place}-{number}" for place in ("pod", "outside") for number in range(INSTANCES)]

    def lines(self) -> str:
        """Lines of the tokens file: observers, a reader of the namespace, and one of all that the team owns."""
        return (
            f"{self.name}-sidecar observer {CLUSTER} pod {self.pod}\n"
            f"{self.name}-gateway observer {CLUSTER} gateway {self.gateway}\n"
            f"{self.reader} reader {CLUSTER} namespace={self.name}\n"
            f"{self.owner} reader {CLUSTER} owner={quote(self.team, safe='')}\n"
        )

    def owners(self) -> list[dict[str, Any]]:
        """Entries of the owners' file; two of them fit a client outside."""
        return [
            {"team": self.team, "match": {"principal": self.outside["principal"]}},
            {"team": self.team, "match": {"clientId": f"{self.name}-outside*"}},
            {"team": self.team, "match": {"topic": f"{self.name}-topic"}},
        ]

    def subscription(self) -> dict[str, Any]:
        """A subscription that matches the tenant's clients, and names them."""
        match = {"client_id": f"{self.name}-.*"}
        return {"id": f"kwitness.x.{self.name}.s", "metrics": [CREATION_TOTAL], "interval_ms": 1000, "match": match}

    def send(self, collector: CollectorProcess, victim: str) -> None:
        """Send all that the tenant has; an OTLP sender of it claims the namespace of the victim."""
        pods = [push(seq, counter_push(2), client=f"{self.name}-pod-{seq}", **self.in_pod) for seq in range(INSTANCES)]
        assert collector.deliver(of_observer(self.pod, "pod", pods), token=f"{self.name}-sidecar").status == 200
        pushes = [
            push(seq, counter_push(2) if seq else b"\xff", client=f"{self.name}-outside-{seq}", **self.outside)
            for seq in range(INSTANCES)
        ]
        assert collector.deliver(batch(pushes, epoch=len(self.name) * 100 + ord(self.name[0]))).status == 200
        claim = {"service.name": f"{self.name}-forger", "k8s.namespace.name": victim, "k8s.pod.name": f"{victim}-app-1"}
        body = request(f"{self.name}.metric", 1, CLUSTER, **claim).SerializeToString()
        assert post(collector, body).status == 200
        self._count(collector)
        self.list_connections(collector)

    def observers(self) -> Iterator[tuple[str, Mapping[str, str], Mapping[str, Any]]]:
        """Yield kind, client and fields of the head of the two observers."""
        sidecar = {
            "source": self.pod,
            "observer": {"namespace": self.name, "name": f"{self.name}-beside", "mode": "sidecar"},
            "reported_by": "pod",
            "workload": {"kind": "Deployment", "name": f"{self.name}-app"},
        }
        yield "sidecar", self.in_pod, sidecar
        yield "gateway", self.outside, {"source": self.gateway}

    def list_connections(self, collector: CollectorProcess) -> None:
        """Have the observers list what they have open."""
        for kind, who, more in self.observers():
            body = events(open_connections=listed(connection(1, **who)), **more)
            assert collector.observe(body, token=f"{self.name}-{kind}").status == 200

    def _count(self, collector: CollectorProcess) -> None:
        end_ms = end_before_now()
        for kind, who, more in self.observers():
            counted = window(
                1,
                end_ms,
                length_ms=self.window_ms,
                traffic=[produced(f"{self.name}-topic", **who), produced("shared-topic", **who)],
                apis=[requested(**who)],
                groups=[
                    behind(f"{self.name}-group-{kind}", 5, topic=f"{self.name}-topic"),
                    behind(f"{self.name}-group-{kind}", 7, topic="shared-topic"),
                ],
            )
            closed = row(2, "connections", kind="closed", end="broker", last_error=58, **who)
            answer = collector.observe(events([closed], totals=[counted], **more), token=f"{self.name}-{kind}")
            assert answer.body["accepted"] == "1-2"
        reporter = {"source": f"{self.pod}/{REPORTER}", "profile": {"namespace": self.name, "name": "front"}}
        counts = {"seq": 1, "statistics": [statistics(self.in_pod["client_id"])]}
        answer = collector.observe(interceptors_request(totals=[counts], **reporter), token=f"{self.name}-sidecar")
        assert answer.body["accepted"] == "1"


def introduce(pair: Sequence[CollectorProcess], tenants: Sequence[Tenant]) -> None:
    """Make readers, owners and subscriptions of tenants known to replicas, and ask for connections."""
    for replica in pair:
        with replica.tokens.open("a") as file:
            file.writelines(tenant.lines() for tenant in tenants)
        replica.own([entry for tenant in tenants for entry in tenant.owners()])
        replica.subscribe([tenant.subscription() for tenant in tenants])
        for tenant in tenants:
            eventually(
                lambda replica=replica, token=tenant.reader: replica.get("/v1/connections", token=token).status,  # type: ignore[misc]
                lambda status: status == 200,
            )
