package dev.kwitness.interceptors.core;

/** The keys of one client and topic within one window. Not safe for several threads. */
final class KeyTally {
    long records;
    long keyless;
    long uncounted;
    final DistinctKeys keys = new DistinctKeys();

    /** Count the key of a record: null where it has none. */
    void add(byte[] key) {
        if (key == null) {
            keyless++;
        } else {
            records++;
            keys.add(key);
        }
    }
}
