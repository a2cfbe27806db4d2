-- What the job Traffic makes of its facts, written by hand: each counted once, then added up. `facts` are what
-- traffic_facts.sql reads.
WITH once AS (
  SELECT any_value(struct(*)) AS event FROM {facts} GROUP BY event_source, event_epoch, event_seq
),
added AS (
  SELECT
    event.window_start_ms DIV 10000 * 10000 AS window_start_ms,
    event.kind AS kind,
    event.api AS api,
    event.topic AS topic,
    CASE WHEN event.topic IS NULL THEN event.topic_id END AS topic_id,
    event.principal AS principal,
    event.client_id AS client_id,
    event.client_software_name AS client_software_name,
    event.client_software_version AS client_software_version,
    event.k8s_namespace AS k8s_namespace,
    event.k8s_workload AS k8s_workload,
    sum(event.requests) AS requests,
    sum(event.records) AS records,
    sum(event.bytes) AS bytes,
    sum(event.batches) AS batches,
    sum(event.unknown_batches) AS unknown_batches,
    sum(event.transactional_records) AS transactional_records,
    sum(event.aborted_records) AS aborted_records,
    sum(event.duplicate_batches) AS duplicate_batches,
    sum(event.rejected_bytes) AS rejected_bytes,
    sum(event.unconfirmed) AS unconfirmed,
    sum(event.request_bytes) AS request_bytes,
    sum(event.response_bytes) AS response_bytes,
    sum(event.committed_transactions) AS committed_transactions,
    sum(event.aborted_transactions) AS aborted_transactions,
    sum(event.response_time.sum_us) AS response_time_us,
    sum(event.waited.sum_us) AS waited_us,
    max(event.partitions) AS partitions,
    collect_list(event.errors) AS errors,
    collect_list(event.unread) AS unread,
    collect_list(event.response_time.buckets) AS response_time,
    collect_list(event.waited.buckets) AS waited,
    size(collect_set(event.event_source)) AS sources
  FROM once
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
),
whole AS (
  SELECT
    * EXCEPT (errors, unread, response_time, waited),
    aggregate(errors, CAST(map() AS MAP<STRING, BIGINT>), (whole, one) ->
      map_zip_with(whole, one, (key, a, b) -> coalesce(a, 0) + coalesce(b, 0))) AS errors,
    aggregate(unread, CAST(map() AS MAP<STRING, BIGINT>), (whole, one) ->
      map_zip_with(whole, one, (key, a, b) -> coalesce(a, 0) + coalesce(b, 0))) AS unread,
    transform_keys(aggregate(response_time, CAST(map() AS MAP<STRING, BIGINT>), (whole, one) ->
      map_zip_with(whole, one, (key, a, b) -> coalesce(a, 0) + coalesce(b, 0))), (key, n) -> CAST(key AS INT)) AS response_time,
    transform_keys(aggregate(waited, CAST(map() AS MAP<STRING, BIGINT>), (whole, one) ->
      map_zip_with(whole, one, (key, a, b) -> coalesce(a, 0) + coalesce(b, 0))), (key, n) -> CAST(key AS INT)) AS waited
  FROM added
),
counted AS (
  SELECT
    *,
    aggregate(map_values(map_filter(errors, (code, n) -> code != '0')), 0L, (whole, one) -> whole + one) AS error_count,
    aggregate(map_values(response_time), 0L, (whole, one) -> whole + one) AS response_time_count,
    aggregate(map_values(waited), 0L, (whole, one) -> whole + one) AS waited_count
  FROM whole
)
SELECT
  * EXCEPT (response_time_count, waited_count),
  element_at(bounds, 1 + aggregate(
    array_sort(map_entries(response_time)),
    named_struct('seen', 0L, 'bucket', CAST(NULL AS INT)),
    (so_far, entry) -> named_struct(
      'seen', so_far.seen + entry.value,
      'bucket', CASE
        WHEN so_far.bucket IS NULL AND so_far.seen + entry.value >= ceil(response_time_count * 0.5) THEN entry.key
        ELSE so_far.bucket
      END
    )
  ).bucket) AS response_time_p50_us,
  element_at(bounds, 1 + aggregate(
    array_sort(map_entries(response_time)),
    named_struct('seen', 0L, 'bucket', CAST(NULL AS INT)),
    (so_far, entry) -> named_struct(
      'seen', so_far.seen + entry.value,
      'bucket', CASE
        WHEN so_far.bucket IS NULL AND so_far.seen + entry.value >= ceil(response_time_count * 0.99) THEN entry.key
        ELSE so_far.bucket
      END
    )
  ).bucket) AS response_time_p99_us,
  element_at(bounds, 1 + aggregate(
    array_sort(map_entries(waited)),
    named_struct('seen', 0L, 'bucket', CAST(NULL AS INT)),
    (so_far, entry) -> named_struct(
      'seen', so_far.seen + entry.value,
      'bucket', CASE
        WHEN so_far.bucket IS NULL AND so_far.seen + entry.value >= ceil(waited_count * 0.5) THEN entry.key
        ELSE so_far.bucket
      END
    )
  ).bucket) AS waited_p50_us,
  element_at(bounds, 1 + aggregate(
    array_sort(map_entries(waited)),
    named_struct('seen', 0L, 'bucket', CAST(NULL AS INT)),
    (so_far, entry) -> named_struct(
      'seen', so_far.seen + entry.value,
      'bucket', CASE
        WHEN so_far.bucket IS NULL AND so_far.seen + entry.value >= ceil(waited_count * 0.99) THEN entry.key
        ELSE so_far.bucket
      END
    )
  ).bucket) AS waited_p99_us
FROM counted
