package dev.kwitness.interceptors.core;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;

/** The headers of one client, topic and key within one window. Not safe for several threads. */
final class HeaderCounts {
    static final int MOST_VALUES = 32;
    static final int LONGEST_VALUE = 64;

    final boolean registered;
    final long[] problems = new long[HeaderProblem.NUMBER];
    final Map<String, Long> values = new TreeMap<>();
    long headers;
    long bytes;
    long removed;
    long valuesLeftOut;

    HeaderCounts(boolean registered) {
        this.registered = registered;
    }

    void add(byte[] value, int found, boolean isRemoved) {
        headers++;
        bytes += value == null ? 0 : value.length;
        removed += isRemoved ? 1 : 0;
        for (int problem = 0; found >> problem != 0; problem++) {
            problems[problem] += found >> problem & 1;
        }
    }

    /** Add what another has counted, but for its values. */
    void add(HeaderCounts other) {
        headers += other.headers;
        bytes += other.bytes;
        removed += other.removed;
        for (int problem = 0; problem < problems.length; problem++) {
            problems[problem] += other.problems[problem];
        }
    }

    /** Count a value that is asked for; null is none. */
    void value(byte[] value) {
        if (value == null) {
            return;
        }
        String text = value.length > LONGEST_VALUE ? null : text(value);
        if (text == null || values.size() >= MOST_VALUES && !values.containsKey(text)) {
            valuesLeftOut++;
        } else {
            values.merge(text, 1L, Long::sum);
        }
    }

    private static String text(byte[] value) {
        return Utf8.isValid(value) ? new String(value, StandardCharsets.UTF_8)
            : "base64:" + Base64.getEncoder().encodeToString(value);
    }
}
