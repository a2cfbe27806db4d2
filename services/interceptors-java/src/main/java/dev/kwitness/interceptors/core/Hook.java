package dev.kwitness.interceptors.core;

/** KIP-42's methods, and what is counted of calls of one of them. Not safe for several threads. */
final class Hook {
    /** Time is measured of every so many calls: reading the clock takes longer than what most calls do. */
    static final int MEASURED_ONE_IN = 64;

    /** What the profile calls the interceptor; null where none of ours looks at records. */
    final String interceptor;
    final String name;
    long calls;
    long errors;
    private long measured;
    private long measuredNs;

    Hook(String interceptor, String name) {
        this.interceptor = interceptor;
        this.name = name;
    }

    /** Another one, of which nothing is counted yet. */
    Hook next() {
        return new Hook(interceptor, name);
    }

    void measured(long nanoseconds) {
        measured++;
        measuredNs += nanoseconds;
    }

    /** Time of all calls, as far as that of the measured ones tells. */
    long timeNs() {
        return measured == 0 ? 0 : Math.round((double) measuredNs / measured * calls);
    }
}
