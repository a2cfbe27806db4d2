-- Records of the topic traffic that can be used, as somebody would read them who wants their rows and nothing else: no
-- quarantine, and no judgement of what cannot be used. `records` are those of the topic.
WITH read AS (
  SELECT
    from_json(
      CAST(value AS STRING),
      'schema STRING, kind STRING, event_source STRING, event_epoch BIGINT, event_seq BIGINT, window_start_ms BIGINT,
       api STRING, topic STRING, topic_id STRING, principal STRING, client_id STRING, client_software_name STRING,
       client_software_version STRING, k8s_namespace STRING, k8s_workload STRING, requests BIGINT, records BIGINT,
       bytes BIGINT, batches BIGINT, unknown_batches BIGINT, transactional_records BIGINT, aborted_records BIGINT,
       duplicate_batches BIGINT, rejected_bytes BIGINT, unconfirmed BIGINT, request_bytes BIGINT,
       response_bytes BIGINT, committed_transactions BIGINT, aborted_transactions BIGINT, partitions BIGINT,
       errors MAP<STRING, BIGINT>, unread MAP<STRING, BIGINT>,
       response_time STRUCT<buckets: MAP<STRING, BIGINT>, sum_us: BIGINT>,
       waited STRUCT<buckets: MAP<STRING, BIGINT>, sum_us: BIGINT>, _corrupt_record STRING',
      map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '_corrupt_record')
    ) AS event
  FROM {records}
)
SELECT event.*
FROM read
WHERE event.schema = 'kwitness.traffic/1' AND event._corrupt_record IS NULL
  AND event.event_source IS NOT NULL AND event.event_epoch IS NOT NULL AND event.event_seq >= 0
  AND event.window_start_ms >= 0 AND event.kind IN ('partition', 'api', 'presence') AND event.api IS NOT NULL
  AND CASE WHEN event.kind = 'presence' THEN event.partitions ELSE event.requests END IS NOT NULL
