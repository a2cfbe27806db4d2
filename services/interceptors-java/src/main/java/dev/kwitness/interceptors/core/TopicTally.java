package dev.kwitness.interceptors.core;

import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;

/** What one client did with one topic within one window. Not safe for several threads. */
final class TopicTally {
    long sent;
    long acknowledged;
    long consumed;
    long commits;
    long keyBytes;
    long valueBytes;
    final Map<String, Long> failures = new TreeMap<>();
    final Map<String, Long> anomalies = new TreeMap<>();
    final Distribution sizes = new Distribution();
    /** In microseconds, as the next one. */
    final Distribution acknowledgementTime = new Distribution();
    final Distribution endToEndLatency = new Distribution();
    final Map<Integer, PartitionTally> partitions = new TreeMap<>();

    private static final int MOST_LEFT_OUT = 1 << 16;
    private static final int MOST_REASONS = 64;

    private final BitSet leftOut = new BitSet();
    private int lastNumber = -1;
    private PartitionTally last;

    /** The tally of a partition; one that goes nowhere where there are too many or it is not known. */
    PartitionTally partition(int number, int most) {
        if (number == lastNumber) {
            return last;
        }
        PartitionTally found = number < 0 ? null : partitions.get(number);
        if (found == null) {
            found = new PartitionTally();
            if (number >= 0 && partitions.size() < most) {
                partitions.put(number, found);
            } else if (number >= 0) {
                leftOut.set(number % MOST_LEFT_OUT);
            }
        }
        lastNumber = number;
        last = found;
        return found;
    }

    int partitionsLeftOut() {
        return leftOut.cardinality();
    }

    void size(int key, int value) {
        int keySize = Math.max(key, 0);
        int valueSize = Math.max(value, 0);
        keyBytes += keySize;
        valueBytes += valueSize;
        sizes.add((long) keySize + valueSize);
    }

    static void count(Map<String, Long> counts, String reason, long number) {
        String kept = counts.containsKey(reason) || counts.size() < MOST_REASONS - 1 ? reason : "other";
        counts.merge(kept, number, Long::sum);
    }

    /** One partition of the topic. */
    static final class PartitionTally {
        long acknowledged;
        long consumed;
        /** -1 where none was. */
        long committedOffset = -1;
        final OffsetRanges offsets = new OffsetRanges();
    }
}
