"""`kwitness subscriptions`: what clients are asked to push, by this installation and by others."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Annotated, Any, Final

import typer

from kwitness.answers.access.cluster_access import AlreadyThereError, ClusterAccess, connect
from kwitness.answers.access.risk_bounds import risk_warnings
from kwitness.answers.access.serving_collector import find_cluster
from kwitness.answers.access.subscription_questions import all_subscriptions
from kwitness.answers.failure import CommandFailedError, WrongUseError
from kwitness.answers.subscription_request import Request, metric_warnings, subscription
from kwitness.answers.views.subscription_facts import Subscription, of_resource
from kwitness.cli.completed_names import resources_of
from kwitness.cli.named_arguments import ClusterOption, named
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.output import Output, resource_name, warn
from kwitness.cli.progress import working
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.cli.subscription_page import AT_RISK, SILENT, facts
from kwitness.cli.subscription_rows import COLUMNS, NAMESPACE_COLUMN, cells
from kwitness.contracts.plain_text import plain_text

_KIND: Final = "ClientMetricsSubscription"
_POLL_S: Final = 1.0

app = new_app(SUBCOMMANDS["subscriptions"].about, invoke_without_command=True)

Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", metavar="PREFIX", help="Prefix of metrics' names, or '*'; repeatable."),
]
Name = Annotated[str, named("NAME", "Name of the subscription.", resources_of("ClientMetricsSubscription"))]


def _selector(name: str, metavar: str, what: str) -> Any:
    return typer.Option(name, metavar=metavar, help=f"Only clients with this {what}; repeatable.")


AllNamespaces = Annotated[bool, typer.Option("-A", "--all-namespaces", help="List all namespaces.")]


@app.callback()
@shared
def show_subscriptions(
    options: Options, *, ctx: typer.Context, cluster: ClusterOption = None, all_namespaces: AllNamespaces = False
) -> None:
    """Show, add and delete subscriptions of client metrics; by default list those of the namespace."""
    if ctx.invoked_subcommand is None:
        _list(options, cluster, all_namespaces=all_namespaces)


@app.command("list")
@shared
def list_subscriptions(
    options: Options, *, cluster: ClusterOption = None, all_namespaces: AllNamespaces = False
) -> None:
    """Show the subscriptions of this installation and of others."""
    _list(options, cluster, all_namespaces=all_namespaces)


def _list(options: Options, cluster: str | None, *, all_namespaces: bool) -> None:
    access, output = connect(options), Output(options)
    namespace = None if all_namespaces else access.namespace
    with working("asking the API server"):
        found = _everything(access, options, namespace, cluster)
    where = "" if namespace is None else f" in namespace {namespace}"
    output.show(
        found,
        (NAMESPACE_COLUMN, *COLUMNS) if all_namespaces else COLUMNS,
        cells,
        document=Subscription.document,
        name=lambda one: resource_name(_KIND, one.name) if one.owner == "Ours" else one.name,
        empty=f"there is no subscription{where}: add one by `kwitness subscriptions add NAME --metric PREFIX`",
    )


@app.command("describe")
@shared
def describe(options: Options, *, name: Name, cluster: ClusterOption = None) -> None:
    """Show one subscription, its silent clients and unsent metrics."""
    access, output = connect(options), Output(options)
    body = access.get(_KIND, name)
    if body is not None:
        one = of_resource(body)
    else:
        found = _everything(access, options, access.namespace, cluster)
        others = [one for one in found if name in {one.name, one.broker_resource}]
        if not others:
            raise CommandFailedError(_missing(name, access.namespace, found))
        one = others[0]
    if not output.is_table:
        output.document(one.document() if body is None else body)
        return
    status = (body or {}).get("status") or {}
    output.facts(list(facts(one, body)))
    silent = [*(status.get("silentSoftware") or ()), *(status.get("silentClients") or ())]
    for columns, rows in ((SILENT, silent), (AT_RISK, status.get("atRiskClients") or ())):
        if rows:
            print()
            output.table(columns, rows)


@app.command("add")
@shared
def add(
    options: Options,
    *,
    name: Name,
    metric: Metrics = None,
    client_id: Annotated[list[str] | None, _selector("--client-id", "ID", "client id")] = None,
    client_instance_id: Annotated[
        list[str] | None, _selector("--client-instance-id", "ID", "id of the client instance")
    ] = None,
    software: Annotated[list[str] | None, _selector("--software", "NAME", "software name")] = None,
    software_version: Annotated[
        list[str] | None, _selector("--software-version", "VERSION", "software version")
    ] = None,
    address: Annotated[list[str] | None, _selector("--address", "ADDRESS", "address, as the broker sees it")] = None,
    port: Annotated[list[str] | None, _selector("--port", "PORT", "port of its connection")] = None,
    pattern: Annotated[
        bool, typer.Option("--pattern", help="Read these values as regular expressions that match the whole.")
    ] = False,
    interval: Annotated[
        str | None,
        typer.Option("--interval", metavar="TIME", help="Time between two pushes, such as 10s; by default 5m."),
    ] = None,
    life: Annotated[
        str | None, typer.Option("--for", metavar="TIME", help="Time until it ends by itself, such as 10m.")
    ] = None,
    accept_risk: Annotated[
        bool,
        typer.Option(
            "--accept-risk",
            help="Apply it even if it could crash clients, where the KafkaCluster has riskPolicy: Apply too.",
        ),
    ] = False,
    cluster: ClusterOption = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the brokers have it.")] = False,
    timeout: Annotated[float, typer.Option("--timeout", metavar="SECONDS", help="Longest time of --wait.")] = 60.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Have the API server check it, and print it as YAML unapplied.")
    ] = False,
) -> None:
    """Add a subscription, which asks clients for metrics. Values are literal without --pattern: a dot is a dot."""
    access = connect(options)
    found = find_cluster(access, cluster)
    request = Request(
        name=name,
        namespace=access.namespace,
        cluster=found.metadata.name,
        cluster_namespace=found.metadata.namespace,
        metrics=metric or (),
        interval=interval,
        expire_after=life,
        selectors={
            "clientId": client_id or (),
            "clientInstanceId": client_instance_id or (),
            "clientSoftwareName": software or (),
            "clientSoftwareVersion": software_version or (),
            "clientSourceAddress": address or (),
            "clientSourcePort": port or (),
        },
        patterns=pattern,
        accept_risk=accept_risk,
    )
    body = subscription(request)
    for warning in metric_warnings(request.metrics):
        warn(warning)
    try:
        created = access.create(body, dry_run=dry_run)
    except AlreadyThereError as error:
        raise CommandFailedError(
            f"there is a subscription {name} in namespace {access.namespace} already: take another name, or delete it "
            f"first by `kwitness subscriptions delete {name}`"
        ) from error
    if accept_risk:
        for warning in risk_warnings(access, found, created):
            warn(warning)
    if dry_run:
        Output(replace(options, output="yaml") if Output(options).is_table else options).document(body)
        return
    if wait:
        with working("waiting until the brokers have it"):
            created = _applied(access, name, timeout)
    _told(options, "added", created)


@app.command("delete")
@shared
def delete(options: Options, *, name: Name, metric: Metrics = None) -> None:
    """Delete a subscription, or with --metric some of its prefixes."""
    access = connect(options)
    if metric:
        changed = _without(access, options, name, metric)
        _told(options, "changed", changed)
        return
    if not access.delete(_KIND, name):
        found = _everything(access, options, access.namespace, None)
        raise CommandFailedError(_missing(name, access.namespace, found))
    print(f"subscription {plain_text(name)} was deleted; clients stop with their next push")


def _everything(
    access: ClusterAccess, options: Options, namespace: str | None, cluster: str | None
) -> list[Subscription]:
    return all_subscriptions(access, options, namespace=namespace, cluster=cluster, notify=warn)


def _missing(name: str, namespace: str, found: list[Subscription]) -> str:
    """What to do about a name that is no resource."""
    for one in found:
        if name in {one.name, one.broker_resource} and one.owner != "Ours":
            return (
                f"{name} at the brokers of {one.cluster} is not of this installation ({one.owner}): it is deleted "
                "where it was made, or by Kafka's own tool, `kafka-client-metrics.sh --bootstrap-server HOST:PORT "
                f"--delete --name {one.broker_resource}`"
            )
    names = ", ".join(sorted(one.name for one in found if one.owner == "Ours")) or "none"
    return f"there is no subscription {name} in namespace {namespace}; there are: {names} (--namespace names another)"


def _without(access: ClusterAccess, options: Options, name: str, prefixes: list[str]) -> dict[str, Any]:
    body = access.get(_KIND, name)
    if body is None:
        found = _everything(access, options, access.namespace, None)
        raise CommandFailedError(_missing(name, access.namespace, found))
    present = list(body["spec"].get("metrics") or ())
    absent = [one for one in prefixes if one not in present]
    if absent:
        raise CommandFailedError(
            f"subscription {name} does not ask for {', '.join(absent)}, but for {', '.join(present) or 'nothing'}; "
            "prefixes are removed as they were added"
        )
    left = [one for one in present if one not in prefixes]
    if not left:
        raise WrongUseError(
            f"that would leave subscription {name} without metrics: delete it by `kwitness subscriptions delete {name}`"
        )
    changed = access.replace({**body, "spec": {**body["spec"], "metrics": left}})
    if changed is None:
        raise CommandFailedError(f"subscription {name} was deleted meanwhile")
    return changed


def _applied(access: ClusterAccess, name: str, timeout: float) -> dict[str, Any]:
    """Wait until the operator says that the brokers have it."""
    began = time.monotonic()
    while True:
        waited = time.monotonic() - began
        body = access.get(_KIND, name)
        if body is None:
            raise CommandFailedError(f"subscription {name} was deleted meanwhile")
        one = of_resource(body)
        seen = ((body.get("status") or {}).get("observedGeneration") or 0) >= body["metadata"].get("generation", 0)
        if seen and one.reason == "Applied":
            return body
        if waited >= timeout or (seen and one.ready == "True"):
            # Ready for another reason, it has ended: nothing more comes.
            why = f"{one.reason}: {one.message}" if one.reason else "the operator has not seen it: is it running?"
            raise CommandFailedError(f"subscription {name} was added, and is not applied after {waited:.0f} s: {why}")
        time.sleep(_POLL_S)


def _told(options: Options, what: str, body: dict[str, Any]) -> None:
    output = Output(options)
    if not output.is_table:
        output.document(body)
        return
    one, life = of_resource(body), body["spec"].get("expireAfter")
    end = f", and ends by itself {life} after its creation" if life else ""
    print(
        f"subscription {plain_text(one.name)} was {what}: {plain_text(list(one.metrics))} every {one.interval}{end}; "
        f"`kwitness subscriptions describe {one.name}` says what became of it"
    )
