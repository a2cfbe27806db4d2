package dev.kwitness.interceptors.core;

/** How much is sent at once, and when again: less and later where the collector takes nothing. For one thread. */
final class Pace {
    static final long LONGEST_WAIT_MS = 10_000;

    private static final long SHORTEST_WAIT_MS = 200;
    private static final int MOST_DOUBLED = 16;

    private int most = Integer.MAX_VALUE;
    private int failures;

    /** Rows of one request. */
    int most() {
        return most;
    }

    /** Whether the last request came to nothing. */
    boolean fails() {
        return failures > 0;
    }

    void succeeded() {
        failures = 0;
        // What was refused among more than this may still be there.
        most = (int) Math.min(Integer.MAX_VALUE, most * 2L);
    }

    /** A request came to nothing; how long to wait in milliseconds, longest where a retry soon cannot help. */
    long failed(boolean slowly) {
        failures++;
        return slowly ? LONGEST_WAIT_MS : bounded(SHORTEST_WAIT_MS << Math.min(failures, MOST_DOUBLED));
    }

    /** So many rows together were refused. */
    void halve(int rows) {
        most = rows / 2;
    }

    static long bounded(long waitMs) {
        return Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, waitMs));
    }
}
