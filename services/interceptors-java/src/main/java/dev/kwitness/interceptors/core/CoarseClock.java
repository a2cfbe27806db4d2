package dev.kwitness.interceptors.core;

/** Milliseconds since 1970, exact to a tenth of a second: read for each record, to find the window that it is in. */
final class CoarseClock {
    static final long STEP_MS = 100;

    private static volatile long nowMs = System.currentTimeMillis();

    private CoarseClock() {
    }

    static long nowMs() {
        return nowMs;
    }

    /** Called by the thread that closes windows, every {@link #STEP_MS}. */
    static long step() {
        nowMs = System.currentTimeMillis();
        return nowMs;
    }
}
