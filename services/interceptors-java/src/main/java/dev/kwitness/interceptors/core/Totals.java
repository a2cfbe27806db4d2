package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** What all clients of the process did in one window, summed up for Prometheus. */
final class Totals {
    /** Of kafka_client_interceptor_end_to_end_latency_seconds, in microseconds. */
    static final long[] LATENCY_BOUNDS_US = {
        5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
        30_000_000, 60_000_000, 300_000_000, 3_600_000_000L};
    /** Of kafka_client_interceptor_record_size_bytes. */
    static final long[] SIZE_BOUNDS_BYTES = {64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 10_485_760};

    /** Of so many characters one part is made, and what its last entry has beyond: a request is bounded. */
    private static final int PART_CHARACTERS = 64 << 10;

    private final Map<List<String>, Topic> topics = new TreeMap<>(Totals::compare);
    private final Map<List<String>, Histogram> latencies = new TreeMap<>(Totals::compare);
    private final Map<List<String>, Histogram> sizes = new TreeMap<>(Totals::compare);
    private final Map<List<String>, DistinctKeys> keys = new TreeMap<>(Totals::compare);
    private final Map<List<String>, long[]> hooks = new TreeMap<>(Totals::compare);
    private final HeaderTotals headers = new HeaderTotals();

    void add(Client client, String name, TopicTally tally) {
        String topic = name.equals(Windows.OTHERS) ? null : name;
        String group = client.reported().groupId;
        Topic sum = topics.computeIfAbsent(
            Arrays.asList(topic, client.reported().clientId, group), none -> new Topic());
        sum.sent += tally.sent;
        sum.acknowledged += tally.acknowledged;
        sum.consumed += tally.consumed;
        sum.commits += tally.commits;
        tally.failures.forEach((reason, number) -> TopicTally.count(sum.failures, reason, number));
        tally.anomalies.forEach((reason, number) -> TopicTally.count(sum.anomalies, reason, number));
        add(latencies, Arrays.asList("acknowledgement", topic, group), tally.acknowledgementTime, LATENCY_BOUNDS_US);
        add(latencies, Arrays.asList("end_to_end", topic, group), tally.endToEndLatency, LATENCY_BOUNDS_US);
        add(sizes, Arrays.asList(client.side.word, topic), tally.sizes, SIZE_BOUNDS_BYTES);
    }

    void add(Client client, String name, KeyTally tally) {
        String topic = name.equals(Windows.OTHERS) ? null : name;
        keys.computeIfAbsent(Arrays.asList(client.side.word, topic), none -> new DistinctKeys()).merge(tally.keys);
    }

    void add(Client client, HeaderTally tally) {
        headers.add(client, tally);
    }

    void add(Hook hook) {
        long[] sum = hooks.computeIfAbsent(Arrays.asList(hook.interceptor, hook.name), none -> new long[3]);
        sum[0] += hook.calls;
        sum[1] += hook.errors;
        sum[2] += hook.timeNs();
    }

    /**
     * The totals in parts, whose numbers follow one another; there is one at least, with what was dropped.
     *
     * @param windowMs the length of the window in milliseconds
     */
    List<String> parts(long firstSeq, long windowMs, Map<String, Long> dropped) {
        Map<String, List<Json.Body>> entries = new LinkedHashMap<>();
        entries.put("topics", topics(topics));
        entries.put("latencies", histograms(latencies, "measure", "sum_us"));
        entries.put("sizes", histograms(sizes, "side", "sum_bytes"));
        entries.put("keys", keys(windowMs));
        entries.put("hooks", hooks());
        entries.put("headers", headers.entries());
        List<String> parts = new ArrayList<>();
        Map<String, List<String>> part = new LinkedHashMap<>();
        int size = 0;
        for (Map.Entry<String, List<Json.Body>> of : entries.entrySet()) {
            for (Json.Body entry : of.getValue()) {
                if (size >= PART_CHARACTERS) {
                    parts.add(part(firstSeq + parts.size(), part, dropped, parts.isEmpty()));
                    part = new LinkedHashMap<>();
                    size = 0;
                }
                String written = Json.object(256, entry);
                part.computeIfAbsent(of.getKey(), none -> new ArrayList<>()).add(written);
                size += written.length();
            }
        }
        parts.add(part(firstSeq + parts.size(), part, dropped, parts.isEmpty()));
        return parts;
    }

    private static String part(
            long seq, Map<String, List<String>> entries, Map<String, Long> dropped, boolean isFirst) {
        return Json.object(1_024, object -> {
            object.put("seq", seq);
            entries.forEach(object::putWritten);
            if (isFirst) {
                object.putNumbers("dropped", dropped);
            }
        });
    }

    private static List<Json.Body> topics(Map<List<String>, Topic> topics) {
        List<Json.Body> all = new ArrayList<>();
        topics.forEach((names, sum) -> all.add(object -> object.put("topic", names.get(0))
            .put("client_id", names.get(1)).put("group_id", names.get(2)).put("sent", sum.sent)
            .put("acknowledged", sum.acknowledged).putNumbers("failures", sum.failures).put("consumed", sum.consumed)
            .put("commits", sum.commits).putNumbers("anomalies", sum.anomalies)));
        return all;
    }

    private static List<Json.Body> histograms(Map<List<String>, Histogram> histograms, String first, String sumKey) {
        List<Json.Body> all = new ArrayList<>();
        histograms.forEach((names, one) -> all.add(object -> {
            object.put(first, names.get(0)).put("topic", names.get(1));
            if (names.size() > 2) {
                object.put("group_id", names.get(2));
            }
            object.putNumbers("counts", one.counts).put(sumKey, one.sum);
        }));
        return all;
    }

    private List<Json.Body> keys(long windowMs) {
        List<Json.Body> all = new ArrayList<>();
        keys.forEach((names, sketch) -> all.add(object -> object.put("side", names.get(0)).put("topic", names.get(1))
            .put("distinct", sketch.estimate()).put("window_ms", windowMs)));
        return all;
    }

    private List<Json.Body> hooks() {
        List<Json.Body> all = new ArrayList<>();
        hooks.forEach((names, sum) -> all.add(object -> object.put("interceptor", names.get(0))
            .put("hook", names.get(1)).put("calls", sum[0]).put("errors", sum[1]).put("time_ns", sum[2])));
        return all;
    }

    private static void add(
            Map<List<String>, Histogram> histograms, List<String> names, Distribution values, long[] bounds) {
        if (!values.isEmpty()) {
            Histogram sum = histograms.computeIfAbsent(names, none -> new Histogram(bounds.length + 1));
            values.addTo(sum.counts, bounds);
            sum.sum = Distribution.plus(sum.sum, values.sum());
        }
    }

    static int compare(List<String> one, List<String> other) {
        for (int place = 0; place < one.size(); place++) {
            String text = Objects.toString(one.get(place), "");
            int order = text.compareTo(Objects.toString(other.get(place), ""));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** Counts of one client and topic. */
    private static final class Topic {
        long sent;
        long acknowledged;
        long consumed;
        long commits;
        final Map<String, Long> failures = new TreeMap<>();
        final Map<String, Long> anomalies = new TreeMap<>();
    }

    /** Counts by bound. */
    private static final class Histogram {
        final long[] counts;
        long sum;

        Histogram(int counts) {
            this.counts = new long[counts];
        }
    }
}
