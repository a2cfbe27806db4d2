package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.List;

/**
 * Which offsets: a few ranges in ascending order, none touching the next.
 *
 * <p>They are exact as long as there are no more than eight. Beyond that the two with the fewest offsets between them
 * become one, which then holds offsets that nobody named; how often is counted. Not safe for several threads.
 */
final class OffsetRanges {
    static final int KEPT = 8;

    // One more than is kept, so that a new range has its place before two become one.
    private final long[] first = new long[KEPT + 1];
    private final long[] last = new long[KEPT + 1];
    private int count;
    private long merged;

    /** Add the offsets between two, both included; nothing if there are none, or one is negative. */
    void add(long from, long to) {
        if (from < 0 || to < from) {
            return;
        }
        // The usual one: what comes next.
        if (count > 0 && from == last[count - 1] + 1) {
            last[count - 1] = to;
            return;
        }
        int before = 0;
        while (before < count && last[before] < from - 1) {
            before++;
        }
        int after = before;
        while (after < count && first[after] - 1 <= to) {
            after++;
        }
        long newFirst = before < after ? Math.min(from, first[before]) : from;
        long newLast = before < after ? Math.max(to, last[after - 1]) : to;
        move(after, before + 1);
        first[before] = newFirst;
        last[before] = newLast;
        if (count > KEPT) {
            mergeNearest();
        }
    }

    /** How often two became one although offsets between them are missing. */
    long merged() {
        return merged;
    }

    /** The ranges, each as its first and last offset. */
    List<long[]> kept() {
        List<long[]> ranges = new ArrayList<>(count);
        for (int place = 0; place < count; place++) {
            ranges.add(new long[] {first[place], last[place]});
        }
        return ranges;
    }

    private void mergeNearest() {
        int nearest = 0;
        for (int place = 1; place < count - 1; place++) {
            if (first[place + 1] - last[place] < first[nearest + 1] - last[nearest]) {
                nearest = place;
            }
        }
        last[nearest] = last[nearest + 1];
        move(nearest + 2, nearest + 1);
        merged++;
    }

    private void move(int from, int to) {
        System.arraycopy(first, from, first, to, count - from);
        System.arraycopy(last, from, last, to, count - from);
        count += to - from;
    }
}
