package dev.kwitness.broker;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** Counts of one moment since the start of the plugin: accepted = delivered + queued + the sum of dropped. */
final class Ledger {
    private final long accepted;
    private final long delivered;
    private final long queued;
    private final long queuedBytes;
    private final Map<DropReason, Long> dropped;

    Ledger(long accepted, long delivered, long queued, long queuedBytes, Map<DropReason, Long> dropped) {
        this.accepted = accepted;
        this.delivered = delivered;
        this.queued = queued;
        this.queuedBytes = queuedBytes;
        Map<DropReason, Long> copy = new EnumMap<>(DropReason.class);
        copy.putAll(dropped);
        this.dropped = Collections.unmodifiableMap(copy);
    }

    /** Pushes the broker handed over. */
    long accepted() {
        return accepted;
    }

    /** Pushes the collector acknowledged. */
    long delivered() {
        return delivered;
    }

    /** Pushes waiting or being sent. */
    long queued() {
        return queued;
    }

    /** Memory the queue accounts for, in bytes. */
    long queuedBytes() {
        return queuedBytes;
    }

    /** Pushes lost, by reason; reasons without a loss are absent. */
    Map<DropReason, Long> dropped() {
        return dropped;
    }
}
