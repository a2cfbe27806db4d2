package dev.kwitness.interceptors.core;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes rows, totals and a seal of windows that ended. Used by one thread, but for {@link #sealedUntilMs}. */
final class WindowWriter {
    static final String TOPIC = "interceptions";

    static final String HEADERS_TOPIC = "headers";

    private static final String SCHEMA = "kwitness.interceptions/1";
    private static final String HEADERS_SCHEMA = "kwitness.headers/1";
    private static final String SEALS_SCHEMA = "kwitness.seals/1";

    private final Source source;
    private final EventQueue queue;
    private final Map<Client, Statistics> statistics = new LinkedHashMap<>();
    /** End of windows, and the number that follows what was made of them. */
    private final Deque<long[]> waiting = new ArrayDeque<>();
    private long sealedUntilMs;

    WindowWriter(Source source, EventQueue queue) {
        this.source = source;
        this.queue = queue;
        this.sealedUntilMs = source.epochMs;
    }

    /** Queue what clients did in windows that ended. */
    void write(Settings settings, Map<Client, Tallies.Closed> ended) {
        byte[] key = settings.identity.readKey();
        ended.keySet().forEach(client -> client.reportAs(settings.identity.apply(client.identity, key)));
        Map<Client, Json.Body> said = said(ended);
        TreeMap<Long, List<Client>> byStart = new TreeMap<>();
        ended.forEach((client, closed) -> {
            Set<Long> starts = new TreeSet<>(closed.topics.keySet());
            if (closed.hooks != null && !closed.hooks.isEmpty() || said.containsKey(client)) {
                starts.add(closed.clientStart);
            }
            starts.forEach(start -> byStart.computeIfAbsent(start, none -> new ArrayList<>()).add(client));
        });
        byStart.forEach((start, clients) -> {
            Part part = new Part(settings, TOPIC, start, start + settings.windowMs);
            for (Client client : clients) {
                Tallies.Closed closed = ended.get(client);
                closed.topics.getOrDefault(start, Collections.emptyMap())
                    .forEach((topic, tally) -> part.topic(client, topic, tally));
                if (start == closed.clientStart && closed.hooks != null) {
                    part.client(client, closed.hooks, said.get(client));
                }
            }
            part.seal();
        });
        TreeMap<Long, List<Client>> byKeys = new TreeMap<>();
        ended.forEach((client, closed) -> closed.keys.keySet().forEach(
            start -> byKeys.computeIfAbsent(start, none -> new ArrayList<>()).add(client)));
        byKeys.forEach((start, clients) -> {
            Part part = new Part(settings, TOPIC, start, start + ended.get(clients.get(0)).plan.keysWindowMs);
            for (Client client : clients) {
                ended.get(client).keys.get(start).forEach((topic, tally) -> part.keys(client, topic, tally));
            }
            part.seal();
        });
        TreeMap<Long, List<Client>> byHeaders = new TreeMap<>();
        ended.forEach((client, closed) -> closed.headers.keySet().forEach(
            start -> byHeaders.computeIfAbsent(start, none -> new ArrayList<>()).add(client)));
        byHeaders.forEach((start, clients) -> {
            Part part = new Part(settings, HEADERS_TOPIC, start, start + settings.windowMs);
            for (Client client : clients) {
                ended.get(client).headers.get(start).values().forEach(tally -> part.headers(client, tally));
            }
            part.seal();
        });
        statistics.keySet().removeIf(Client::isClosed);
    }

    /** What the libraries of clients say that are told of as a whole. */
    private Map<Client, Json.Body> said(Map<Client, Tallies.Closed> ended) {
        Map<Client, Json.Body> said = new HashMap<>();
        ended.forEach((client, closed) -> {
            Json.Body now = closed.plan.stats && closed.hooks != null
                ? statistics.computeIfAbsent(client, none -> new Statistics()).of(client) : null;
            if (now != null) {
                said.put(client, now);
            }
        });
        return said;
    }

    /** All windows that end before a time are queued. */
    void queued(long untilMs) {
        synchronized (waiting) {
            long[] last = waiting.peekLast();
            if (last != null && last[1] == queue.next()) {
                last[0] = Math.max(last[0], untilMs);
            } else {
                waiting.addLast(new long[] {untilMs, queue.next()});
            }
        }
    }

    /** Windows that end before it are delivered, or counted as dropped. */
    long sealedUntilMs(long settled) {
        synchronized (waiting) {
            while (!waiting.isEmpty() && waiting.peekFirst()[1] <= settled) {
                sealedUntilMs = Math.max(sealedUntilMs, waiting.pollFirst()[0]);
            }
            return sealedUntilMs;
        }
    }

    /** What is made of one window. */
    private final class Part {
        private final Settings settings;
        private final String topic;
        private final long startMs;
        private final long endMs;
        private final long firstSeq;
        private final Totals totals = new Totals();

        Part(Settings settings, String topic, long startMs, long endMs) {
            this.settings = settings;
            this.topic = topic;
            this.startMs = startMs;
            this.endMs = endMs;
            this.firstSeq = queue.next();
        }

        void topic(Client client, String topic, TopicTally tally) {
            totals.add(client, topic, tally);
            row(client, "topic", object -> {
                name(object, topic);
                object.put("internal", client.identity.isInternal())
                    .put("sent", tally.sent).put("acknowledged", tally.acknowledged)
                    .putNumbers("failures", tally.failures).put("consumed", tally.consumed)
                    .put("commits", tally.commits).put("key_bytes", tally.keyBytes)
                    .put("value_bytes", tally.valueBytes);
                distribution(object, "record_sizes", tally.sizes, "sum_bytes");
                distribution(object, "acknowledgement_time", tally.acknowledgementTime, "sum_us");
                distribution(object, "end_to_end_latency", tally.endToEndLatency, "sum_us");
                object.putNumbers("anomalies", tally.anomalies);
                if (!topic.equals(Windows.OTHERS)) {
                    // Offsets of several topics have no meaning.
                    List<Json.Body> partitions = new ArrayList<>();
                    tally.partitions.forEach((number, one) -> partitions.add(part -> partition(part, number, one)));
                    object.putObjects("partitions", partitions).put("partitions_left_out", tally.partitionsLeftOut());
                }
            });
        }

        void keys(Client client, String topic, KeyTally tally) {
            totals.add(client, topic, tally);
            row(client, "keys", object -> {
                name(object, topic);
                object.put("records", tally.records).put("keyless", tally.keyless).put("uncounted", tally.uncounted);
                if (tally.records > 0) {
                    object.put("distinct", tally.keys.estimate())
                        .put("sketch", Base64.getEncoder().encodeToString(tally.keys.image()));
                }
            });
        }

        void headers(Client client, HeaderTally tally) {
            totals.add(client, tally);
            HeaderRows.of(tally).forEach(body -> row(client, HEADERS_SCHEMA, "seen_by", body));
        }

        void client(Client client, List<Hook> hooks, Json.Body statistics) {
            if (hooks.isEmpty() && statistics == null) {
                return;
            }
            List<Json.Body> calls = new ArrayList<>();
            for (Hook hook : hooks) {
                totals.add(hook);
                calls.add(one -> one.put("interceptor", hook.interceptor).put("hook", hook.name)
                    .put("calls", hook.calls).put("errors", hook.errors).put("time_ns", hook.timeNs()));
            }
            row(client, "client", object -> {
                object.putObjects("hooks", calls);
                if (statistics != null) {
                    object.putObject("statistics", statistics);
                }
            });
        }

        void seal() {
            long lastSeq = queue.next() - 1;
            for (String part : totals.parts(queue.next(), endMs - startMs, queue.newlyDropped())) {
                push(Row.totals(queue.next(), part));
            }
            long own = queue.next();
            push(Row.seal(own, source.name(), new Row.Seal(
                topic, object -> common(object, SEALS_SCHEMA, own).put("reported_by", "pod"),
                firstSeq, lastSeq, lastSeq - firstSeq + 1)));
        }

        private void row(Client client, String kind, Json.Body rest) {
            row(client, SCHEMA, "runtime", object -> {
                object.put("kind", kind);
                rest.write(object);
            });
        }

        private void row(Client client, String schema, String runtimeKey, Json.Body rest) {
            long seq = queue.next();
            push(Row.of(seq, topic, source.instance(client), Json.object(1_024, object -> {
                ClientIdentity identity = client.reported();
                common(object, schema, seq).put("client_id", identity.clientId).put("group_id", identity.groupId)
                    .put("group_instance_id", identity.groupInstanceId)
                    .put("transactional_id", identity.transactionalId)
                    .put("client_software_name", "apache-kafka-java")
                    .put("client_software_version", identity.softwareVersion)
                    .put("instance", source.instance(client)).put(runtimeKey, "java").put("side", client.side.word)
                    .putObject("attributes", all -> settings.attributes.forEach(all::put));
                rest.write(object);
            })));
        }

        private Json common(Json object, String schema, long seq) {
            return object.put("schema", schema).put("event_source", source.name())
                .put("event_epoch", source.epochMs).put("event_seq", seq).put("cluster_id", settings.clusterId)
                .put("window_start_ms", startMs).put("window_end_ms", endMs);
        }

        private void push(Row row) {
            queue.push(row, settings.queueBytes);
        }

        private void name(Json object, String topic) {
            if (topic.equals(Windows.OTHERS)) {
                object.put("overflowed", true);
            } else {
                object.put("topic", topic);
            }
        }

        private void partition(Json object, int number, TopicTally.PartitionTally tally) {
            List<Json.Body> ranges = new ArrayList<>();
            tally.offsets.kept().forEach(
                range -> ranges.add(one -> one.put("first", range[0]).put("last", range[1])));
            object.put("partition", number).put("acknowledged", tally.acknowledged).put("consumed", tally.consumed);
            if (tally.committedOffset >= 0) {
                object.put("committed_offset", tally.committedOffset);
            }
            object.putObjects("offset_ranges", ranges).put("offset_ranges_merged", tally.offsets.merged());
        }

        private void distribution(Json object, String key, Distribution values, String sumKey) {
            if (!values.isEmpty()) {
                object.putObject(key, member -> values.write(member, sumKey));
            }
        }
    }
}
