package dev.kwitness.broker;

/** One push of a client, copied out of the request. */
final class Push {
    /** The interface of Kafka 3.7 to 4.1 does not tell the interval. */
    static final int INTERVAL_UNKNOWN = -1;

    private static final int OVERHEAD_BYTES = 160;

    private final long receivedAtMs;
    private final String clientInstanceId;
    private final ClientIdentity identity;
    private final int pushIntervalMs;
    private final boolean terminating;
    private final byte[] payload;
    /** Set once, by the queue, under its lock. */
    private long sequence;

    Push(
            long receivedAtMs, String clientInstanceId, ClientIdentity identity, int pushIntervalMs,
            boolean terminating, byte[] payload) {
        this.receivedAtMs = receivedAtMs;
        this.clientInstanceId = clientInstanceId;
        this.identity = identity;
        this.pushIntervalMs = pushIntervalMs;
        this.terminating = terminating;
        this.payload = payload;
    }

    void number(long newSequence) {
        this.sequence = newSequence;
    }

    /** Position in the order of arrival at this plugin, from 1. */
    long sequence() {
        return sequence;
    }

    /** The broker's clock, milliseconds since 1970. */
    long receivedAtMs() {
        return receivedAtMs;
    }

    /** Kafka's base64url form of the UUID. */
    String clientInstanceId() {
        return clientInstanceId;
    }

    ClientIdentity identity() {
        return identity;
    }

    /** Milliseconds, or {@link #INTERVAL_UNKNOWN}. */
    int pushIntervalMs() {
        return pushIntervalMs;
    }

    boolean terminating() {
        return terminating;
    }

    /** What the client sent, decompressed by the broker and otherwise untouched; may be empty. */
    byte[] payload() {
        return payload;
    }

    /** The memory accounted for this push, in bytes. */
    int sizeInBytes() {
        return OVERHEAD_BYTES + identity.sizeInBytes() + payload.length;
    }
}
