package dev.kwitness.interceptors.core;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/** Something with a number that the collector is to have: a row of a topic, or the totals of a window. */
final class Row {
    static final String SEALS = "seals";
    /** What a row takes in the head beside its key. */
    private static final int OVERHEAD = 128;

    final long seq;
    /** Topic without its prefix; null for totals. */
    final String topic;
    final String key;
    /** What a seal is about; null for everything else. */
    final Seal seal;

    private final byte[] line;

    private Row(long seq, String topic, String key, byte[] line, Seal seal) {
        this.seq = seq;
        this.topic = topic;
        this.key = key;
        this.line = line;
        this.seal = seal;
    }

    static Row of(long seq, String topic, String key, String json) {
        return new Row(seq, topic, key, json.getBytes(StandardCharsets.UTF_8), null);
    }

    static Row totals(long seq, String json) {
        return new Row(seq, null, "", json.getBytes(StandardCharsets.UTF_8), null);
    }

    static Row seal(long seq, String key, Seal seal) {
        return new Row(seq, SEALS, key, seal.line(), seal);
    }

    boolean isTotals() {
        return topic == null;
    }

    int size() {
        return line.length + key.length() + OVERHEAD;
    }

    /** As it is sent now. */
    byte[] line() {
        return seal == null ? line : seal.line();
    }

    /** What closes the rows of a window: what is lost of them is written into it until it is sent. */
    static final class Seal {
        final long firstSeq;
        final long lastSeq;

        private final String topic;
        private final Json.Body common;
        private final long rows;
        private final Map<String, Long> dropped = new TreeMap<>();

        Seal(String topic, Json.Body common, long firstSeq, long lastSeq, long rows) {
            this.topic = topic;
            this.common = common;
            this.firstSeq = firstSeq;
            this.lastSeq = lastSeq;
            this.rows = rows;
        }

        boolean isOf(Row row) {
            return row.seal == null && !row.isTotals() && row.seq >= firstSeq && row.seq <= lastSeq;
        }

        void lost(String reason) {
            dropped.merge(reason, 1L, Long::sum);
        }

        private byte[] line() {
            long lost = dropped.values().stream().mapToLong(Long::longValue).sum();
            return Json.object(512, object -> {
                common.write(object);
                object.put("topic", topic).put("first_seq", firstSeq).put("last_seq", lastSeq)
                    .put("count", Math.max(0, rows - lost)).putNumbers("dropped", dropped);
            }).getBytes(StandardCharsets.UTF_8);
        }
    }
}
