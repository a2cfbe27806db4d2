package dev.kwitness.interceptors.core;

import java.util.Arrays;

/**
 * How often which durations (in microseconds) or sizes (in bytes) occurred, on the table of integer bounds that all
 * parts of the platform share; a quantile is off by one percent at most. Not safe for several threads.
 */
final class Distribution {
    private static final long LARGEST = 86_400_000_000L;
    /** Rows hold no larger number: ages of records of 1970 add up to more. */
    private static final long LARGEST_SUM = 1L << 62;
    private static final long[] BOUNDS = bounds();
    /** The buckets of small values, so that most need no search. */
    private static final short[] SMALL = small();
    private static final int ROOM = 32;

    private long[] counts = {};
    /** The bucket that the first of the counts is for. */
    private int lowest;
    private long sum;

    /** Count a value; a negative one counts as 0. */
    void add(long value) {
        int bucket = bucket(value);
        if (bucket < lowest || bucket - lowest >= counts.length) {
            makeRoom(bucket);
        }
        counts[bucket - lowest]++;
        sum = plus(sum, Math.max(value, 0));
    }

    /**
     * Add the counts by other bounds: each value at the first one that is not below the bound of its bucket, one beyond
     * all of them after the last. There is one count more than bounds.
     */
    void addTo(long[] byBounds, long[] bounds) {
        for (int place = 0; place < counts.length; place++) {
            int found = Arrays.binarySearch(bounds, BOUNDS[Math.min(lowest + place, BOUNDS.length - 1)]);
            byBounds[found >= 0 ? found : -found - 1] += counts[place];
        }
    }

    /** The sum of two numbers that are not negative, as far as a row can hold it. */
    static long plus(long one, long other) {
        long sum = one + other;
        return sum < 0 || sum > LARGEST_SUM ? LARGEST_SUM : sum;
    }

    long sum() {
        return sum;
    }

    boolean isEmpty() {
        return counts.length == 0;
    }

    /** Write the members of the object: the buckets, and the sum under a key. */
    void write(Json object, String sumKey) {
        object.putObject("buckets", buckets -> {
            for (int place = 0; place < counts.length; place++) {
                if (counts[place] > 0) {
                    buckets.put(Integer.toString(lowest + place), counts[place]);
                }
            }
        });
        object.put(sumKey, sum);
    }

    /** The number of the bucket that counts a value. */
    static int bucket(long value) {
        if (value <= 1) {
            return 0;
        }
        if (value < SMALL.length) {
            return SMALL[(int) value];
        }
        int found = Arrays.binarySearch(BOUNDS, value);
        return Math.min(found >= 0 ? found : -found - 1, BOUNDS.length - 1);
    }

    /** The upper bounds of all buckets. */
    static long[] table() {
        return BOUNDS.clone();
    }

    private void makeRoom(int bucket) {
        if (counts.length == 0) {
            lowest = Math.max(0, bucket - ROOM / 2);
            counts = new long[ROOM];
            return;
        }
        int from = Math.max(0, Math.min(lowest, bucket - ROOM));
        int to = Math.max(lowest + counts.length, bucket + ROOM);
        long[] more = new long[to - from];
        System.arraycopy(counts, 0, more, lowest - from, counts.length);
        counts = more;
        lowest = from;
    }

    private static long[] bounds() {
        long[] found = new long[2_048];
        int number = 0;
        long bound = 1;
        while (bound < LARGEST) {
            found[number] = bound;
            number++;
            bound = Math.max(bound + 1, bound * 101 / 99);
        }
        found[number] = bound;
        return Arrays.copyOf(found, number + 1);
    }

    private static short[] small() {
        short[] buckets = new short[4_096];
        int bucket = 0;
        for (int value = 0; value < buckets.length; value++) {
            while (BOUNDS[bucket] < value) {
                bucket++;
            }
            buckets[value] = (short) bucket;
        }
        return buckets;
    }
}
