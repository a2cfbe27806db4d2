"""Columns of tables, as jobs declare them."""

from __future__ import annotations

from pyspark.sql.types import DataType, StringType, StructField


def column(name: str, kind: DataType, comment: str, *, nullable: bool = True) -> StructField:
    """A column with what the table and its reference page say of it."""
    return StructField(name, kind, nullable, {"comment": comment})


CLIENT_COLUMNS = (
    column("principal", StringType(), "Identity key principal."),
    column("client_id", StringType(), "Identity key client_id."),
    column("client_software_name", StringType(), "Identity key client_software_name."),
    column("client_software_version", StringType(), "Identity key client_software_version."),
    column("k8s_namespace", StringType(), "Namespace of the client's pod, where it is known."),
    column("k8s_workload", StringType(), "Workload of the client's pod, likewise."),
)
"""Who a client is, in tables that do not tell its instances apart."""
