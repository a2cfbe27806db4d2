"""Puts together what all sources know of each client, after each change: the tables of members, flows and topics.

A member is a client id with its principal and workload, in one version of its software. Sources know different parts of
that: a principal or workload that a source lacks is completed where all others that have one agree. A flow is what a
client id does with one topic, by the namespace that its observer proved. The application of both is the workload, else
the principal, else the client id. A membership is a client id that names a group itself, by a push or on an open
connection. The lag of a group in a topic is the largest that observers of any namespace saw. What pages sum is summed
here, once for all of them.
"""

from __future__ import annotations

import json
from typing import Final

from kwitness.console.index.database import Database, unnested
from kwitness.contracts.software_defects import defects_of

__all__ = ["CLIENT", "PUSHES", "READS", "TOTALS", "WRITES", "rebuild"]

_COLUMNS: Final = (
    "client_id, principal, k8s_namespace, k8s_workload, k8s_pod, client_software_name, client_software_version, owner, "
    "owner_contact"
)
_IDENTITY: Final = (
    "client_id",
    "principal",
    "k8s_namespace",
    "k8s_workload",
    "client_software_name",
    "client_software_version",
)
"""Columns that tell members apart."""
PUSHES: Final = "last_push_ms IS NOT NULL AND NOT coalesce(terminated, false) AND NOT coalesce(ours, false)"
"""Selects the instances that push of `clients`."""
_SIGHTINGS: Final = f"""
CREATE OR REPLACE TEMP TABLE sightings AS
SELECT {_COLUMNS}, 1 AS pushing, 0 AS connections, false AS on_wire
FROM clients WHERE {PUSHES}
UNION ALL SELECT {_COLUMNS}, 0, 1, opaque IS NULL FROM connections
UNION ALL SELECT {_COLUMNS}, 0, 0, true FROM traffic
"""
_PRINCIPALS: Final = """
CREATE OR REPLACE TEMP TABLE principals AS
SELECT client_id, any_value(principal) AS only_principal FROM sightings
WHERE client_id <> '' GROUP BY client_id HAVING count(DISTINCT principal) = 1
"""
_PLACES: Final = """
CREATE OR REPLACE TEMP TABLE places AS
SELECT client_id, coalesce(principal, only_principal) AS principal, any_value(k8s_namespace) AS only_namespace,
  any_value(k8s_workload) AS only_workload
FROM sightings LEFT JOIN principals USING (client_id)
WHERE client_id <> '' AND k8s_workload IS NOT NULL GROUP BY ALL
HAVING count(DISTINCT (k8s_namespace, k8s_workload)) = 1
"""


def _completed(table: str) -> str:
    """Return the query of all rows of a table, with principal and workload completed, and their application."""
    return f"""
      SELECT *, CASE
          WHEN k8s_workload <> '' THEN concat_ws('/', k8s_namespace, k8s_workload)
          WHEN principal <> '' AND principal <> 'User:ANONYMOUS' THEN principal
          ELSE nullif(client_id, '') END AS application
      FROM (
        SELECT s.* REPLACE (
            coalesce(s.principal, p.only_principal) AS principal,
            coalesce(s.k8s_workload, q.only_workload) AS k8s_workload,
            CASE WHEN s.k8s_workload IS NULL THEN coalesce(q.only_namespace, s.k8s_namespace) ELSE s.k8s_namespace END
              AS k8s_namespace), s.k8s_namespace AS seen_namespace
        FROM {table} AS s LEFT JOIN principals AS p ON p.client_id = s.client_id
        LEFT JOIN places AS q ON q.client_id = s.client_id
          AND q.principal IS NOT DISTINCT FROM coalesce(s.principal, p.only_principal))
    """


_IDENTITIES: Final = f"""
CREATE OR REPLACE TEMP TABLE identities AS
SELECT row_number() OVER () AS id, c.application, {", ".join(f"c.{name}" for name in _IDENTITY)},
  any_value(c.owner) AS owner, any_value(c.owner_contact) AS owner_contact, sum(c.pushing)::BIGINT AS pushing,
  sum(c.connections)::BIGINT AS connections, bool_or(c.on_wire) AS on_wire, bool_or(r.pod IS NOT NULL) AS inside
FROM ({_completed("sightings")}) AS c
LEFT JOIN (SELECT DISTINCT pod_namespace, pod FROM reporters WHERE clients > 0) AS r
  ON r.pod = c.k8s_pod AND r.pod_namespace = c.k8s_namespace
GROUP BY c.application, {", ".join(f"c.{name}" for name in _IDENTITY)}
"""
_FLOWS: Final = f"""
CREATE OR REPLACE TABLE flows AS
SELECT m.id AS member, t.topic, t.seen_namespace,
  CASE WHEN t.api = 'Produce' THEN 'writes' ELSE 'reads' END AS direction,
  sum(t.record_bytes_per_s) AS bytes_per_s, sum(t.records_per_s) AS records_per_s, max(t.fetch_lag_ms) AS lag_ms,
  max(t.fetch_lag) AS lag
FROM ({_completed("traffic")}) AS t JOIN identities AS m
  ON {" AND ".join(f"m.{name} IS NOT DISTINCT FROM t.{name}" for name in _IDENTITY)}
WHERE t.topic IS NOT NULL AND t.api IN ('Produce', 'Fetch', 'ShareFetch')
GROUP BY ALL
"""
_MEMBERS: Final = """
CREATE OR REPLACE TABLE members AS
SELECT i.*, f.* EXCLUDE (member)
FROM identities AS i LEFT JOIN (
  SELECT member, sum(bytes_per_s) FILTER (direction = 'writes') AS writes,
    sum(bytes_per_s) FILTER (direction = 'reads') AS reads, max(lag_ms) AS lag_ms, max(lag) AS lag
  FROM flows GROUP BY member
) AS f ON f.member = i.id
"""
TOTALS: Final = """
count(DISTINCT application) AS applications, count(DISTINCT client_id) AS clients,
coalesce(sum(pushing), 0)::BIGINT AS pushing, coalesce(sum(connections), 0)::BIGINT AS connections,
coalesce(sum(connections) FILTER (client_id <> ''), 0)::BIGINT AS named_connections
"""
"""Numbers of all rows of `members` together."""
_SUMMARY: Final = f"""
CREATE OR REPLACE TABLE summary AS
SELECT {TOTALS}, list(DISTINCT owner) AS owners, list(DISTINCT client_software_name) AS software,
  (SELECT any_value(cluster_id) FROM (SELECT cluster_id FROM traffic UNION ALL SELECT cluster_id FROM clients
    UNION ALL SELECT cluster_id FROM connections)) AS cluster_id
FROM members
"""
_MEMBERSHIPS: Final = """
CREATE OR REPLACE TABLE memberships AS
SELECT group_id, client_id, any_value(owner) AS owner, any_value(owner_contact) AS owner_contact,
  sum(pushing)::BIGINT AS pushing, sum(connections)::BIGINT AS connections,
  count(*) OVER (PARTITION BY client_id) AS group_count
FROM (
  SELECT group_id, client_id, owner, owner_contact, 1 AS pushing, 0 AS connections FROM clients
  WHERE group_id <> '' AND last_push_ms IS NOT NULL AND NOT coalesce(terminated, false)
  UNION ALL SELECT group_id, client_id, owner, owner_contact, 0, 1 FROM connections WHERE group_id <> ''
) GROUP BY group_id, client_id
"""
_GROUP_LAGS: Final = """
CREATE OR REPLACE TABLE group_lags AS
SELECT cluster_id, group_id, topic, any_value(owner) AS owner, any_value(owner_contact) AS owner_contact,
  max(committed_lag) AS committed_lag, max(committed_lag_ms) AS committed_lag_ms,
  max(went_back_records) AS went_back_records, max(went_back_ms) AS went_back_ms, max(until_ms) AS until_ms
FROM groups GROUP BY cluster_id, group_id, topic
"""
CLIENT: Final = (
    "(principal, client_id, client_software_name, client_software_version, k8s_namespace, k8s_workload, k8s_pod)"
)
"""Fields by which traffic tells clients apart, as the command counts them."""
WRITES: Final = "api = 'Produce'"
READS: Final = "api IN ('Fetch', 'ShareFetch')"
_TOPICS: Final = f"""
CREATE OR REPLACE TABLE topics AS
SELECT t.*, g.* EXCLUDE (topic)
FROM (
  SELECT topic, any_value(topic_owner) AS owner, any_value(topic_owner_contact) AS owner_contact,
    count(DISTINCT {CLIENT}) FILTER ({WRITES}) AS writers, count(DISTINCT {CLIENT}) FILTER ({READS}) AS readers,
    coalesce(sum(record_bytes_per_s) FILTER ({WRITES}), 0) AS bytes_in,
    coalesce(sum(record_bytes_per_s) FILTER ({READS}), 0) AS bytes_out,
    coalesce(sum(records_per_s) FILTER ({WRITES}), 0) AS records_in,
    coalesce(sum(records_per_s) FILTER ({READS}), 0) AS records_out,
    max(fetch_lag_ms) FILTER ({READS}) AS lag_ms, max(fetch_lag) FILTER ({READS}) AS lag
  FROM traffic WHERE topic IS NOT NULL GROUP BY topic
) AS t FULL JOIN (
  SELECT topic, count(*) AS group_count, max(committed_lag_ms) AS committed_lag_ms, max(committed_lag) AS committed_lag
  FROM group_lags GROUP BY topic
) AS g USING (topic)
"""
_SOFTWARE: Final = """
SELECT DISTINCT client_software_name AS name, client_software_version AS version FROM (
  SELECT client_software_name, client_software_version FROM clients
  UNION SELECT client_software_name, client_software_version FROM connections
  UNION SELECT client_software_name, client_software_version FROM traffic)
WHERE name <> '' AND version <> ''
"""
_DEFECTS: Final = {"name": "VARCHAR", "version": "VARCHAR", "defects": ["VARCHAR"]}


def rebuild(database: Database) -> None:
    """Make the tables that are derived from what sources fill, and `defects` of the software in them."""
    defects = [
        {**software, "defects": [defect.id for defect in defects_of(software["name"], software["version"])]}
        for software in database.rows(_SOFTWARE)
    ]
    wrong = json.dumps([software for software in defects if software["defects"]])
    database.write(
        *(
            _SIGHTINGS,
            _PRINCIPALS,
            _PLACES,
            _IDENTITIES,
            _FLOWS,
            _MEMBERS,
            _SUMMARY,
            _MEMBERSHIPS,
            _GROUP_LAGS,
            _TOPICS,
        ),
        (f"CREATE OR REPLACE TABLE defects AS SELECT unnest(item) FROM {unnested(_DEFECTS)}", [wrong]),
    )
