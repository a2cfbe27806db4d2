package dev.kwitness.interceptors.core;

import java.util.Map;
import java.util.TreeMap;

/** The headers of one client within one window. Not safe for several threads. */
final class HeaderTally {
    /** Topics and keys, and topics without any. */
    static final int MOST_ROWS = 256;

    private static final int LONGEST_KEY = 128;

    final Map<String, OfTopic> topics = new TreeMap<>();
    /** What found no row of its own; null where everything did. */
    HeaderCounts overflowed;
    private int rows;

    /** Count a record whose headers were judged. */
    void add(JudgedHeaders record) {
        OfTopic topic = topics.get(record.topic);
        if (topic == null && rows < MOST_ROWS) {
            topic = new OfTopic();
            topics.put(record.topic, topic);
            rows++;
        }
        if (topic != null) {
            topic.records++;
        }
        for (JudgedHeaders.Judged one : record.judged()) {
            HeaderCounts counts = counts(topic, one.key, one.registered);
            if (one.isMissing()) {
                counts.problems[HeaderProblem.MISSING.ordinal()]++;
            } else {
                counts.add(one.value, one.problems, one.isRemoved);
                if (one.countsValue && counts != overflowed) {
                    counts.value(one.value);
                }
            }
        }
    }

    private HeaderCounts counts(OfTopic topic, String whole, boolean registered) {
        String key = whole.codePointCount(0, whole.length()) <= LONGEST_KEY ? whole
            : whole.substring(0, whole.offsetByCodePoints(0, LONGEST_KEY));
        HeaderCounts found = topic == null ? null : topic.keys.get(key);
        if (found != null) {
            return found;
        }
        // A topic has a row from its first record on, which its first key takes.
        boolean takesRow = topic == null || !topic.keys.isEmpty();
        if (topic == null || takesRow && rows >= MOST_ROWS) {
            overflowed = overflowed == null ? new HeaderCounts(false) : overflowed;
            return overflowed;
        }
        rows += takesRow ? 1 : 0;
        found = new HeaderCounts(registered);
        topic.keys.put(key, found);
        return found;
    }

    /** One topic. */
    static final class OfTopic {
        long records;
        final Map<String, HeaderCounts> keys = new TreeMap<>();
    }
}
