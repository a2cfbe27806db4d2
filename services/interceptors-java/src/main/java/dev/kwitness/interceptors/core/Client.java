package dev.kwitness.interceptors.core;

import java.util.function.Consumer;

/**
 * What one producer or consumer does, counted.
 *
 * <p>Safe for several threads. Threads that send, the one that gets acknowledgements and those that count keys each
 * have a lock of their own, held for a few additions.
 */
public final class Client {
    /** Of a client whose interceptors do nothing. */
    public static final Client NONE = new Client(Side.PRODUCER, 0, new ClientIdentity(null, null, null, null, null));

    final Side side;
    /** Its number in this process, from 1. */
    final int number;
    final ClientIdentity identity;
    /** As it is reported: written and read by the one thread that reports. */
    private ClientIdentity reported;

    private final Object sending = new Object();
    private final Object ending = new Object();
    private final Object keying = new Object();
    private final Object heading = new Object();
    /** Read again under a lock: what was given back is not added to. */
    private volatile Tallies tallies;
    /** Also where nothing is counted; null where nothing is done with headers. */
    private volatile HeaderSteps headerSteps;
    private volatile boolean closed;
    /** Written by several threads without a lock: it only says when to look at the clock. */
    private int calls;

    Client(Side side, int number, ClientIdentity identity) {
        this.side = side;
        this.number = number;
        this.identity = identity;
        this.reported = identity;
    }

    /** Report it so from now on. */
    void reportAs(ClientIdentity identity) {
        reported = identity;
    }

    /** The identity in everything that is reported. */
    ClientIdentity reported() {
        return reported;
    }

    /** Count by this plan from now on; null means: do nothing. What was counted before is given back. */
    Tallies.Closed follow(Plan plan, long nowMs) {
        Tallies.Closed before;
        synchronized (sending) {
            synchronized (ending) {
                synchronized (keying) {
                    synchronized (heading) {
                        before = tallies == null ? null : tallies.close(Long.MAX_VALUE);
                        tallies = plan == null ? null : new Tallies(plan, nowMs);
                    }
                }
            }
        }
        return before;
    }

    /** Do with headers what these settings say from now on; null means: nothing. */
    void act(Settings settings) {
        headerSteps = settings == null ? null : HeaderSteps.of(settings, identity);
    }

    /** Take the windows that end at a time or before it, those of keys at another; null where nothing is counted. */
    Tallies.Closed close(long untilMs, long keysUntilMs) {
        synchronized (sending) {
            synchronized (ending) {
                synchronized (keying) {
                    synchronized (heading) {
                        return tallies == null ? null : tallies.close(untilMs, keysUntilMs);
                    }
                }
            }
        }
    }

    /** Whether keys of records are wanted. */
    public boolean countsKeys() {
        Tallies now = tallies;
        return now != null && now.keys != null;
    }

    /** The application wants to send a record; whether it says its time itself. */
    public void sent(String topic, boolean ownTimestamp) {
        Tallies now = tallies;
        if (now == null || !now.plan.counts()) {
            return;
        }
        long began = began();
        synchronized (sending) {
            now = tallies;
            if (now == null) {
                return;
            }
            now.onSend.calls++;
            Tallies.Sent tally = now.sends.at(CoarseClock.nowMs(), topic);
            if (tally != null) {
                tally.records++;
                if (ownTimestamp) {
                    tally.ownTimestamps++;
                }
            }
            if (began != 0) {
                now.onSend.measured(System.nanoTime() - began);
            }
        }
        if (ownTimestamp && !now.ownTimestamps) {
            now.ownTimestamps = true;
        }
    }

    /** Brokers have a record; the timestamp in milliseconds since 1970, sizes in bytes, -1 where there is none. */
    public void acknowledged(
            String topic, int partition, long offset, long timestampMs, int keySize, int valueSize) {
        Tallies now = tallies;
        if (now == null || !now.plan.counts()) {
            return;
        }
        long began = began();
        long nowMs = now.plan.latency ? System.currentTimeMillis() : CoarseClock.nowMs();
        boolean isSending = timestampMs >= 0 && !now.ownTimestamps;
        synchronized (ending) {
            now = tallies;
            if (now == null) {
                return;
            }
            now.onAcknowledgement.calls++;
            TopicTally tally = now.topics.at(nowMs, topic);
            if (tally != null) {
                tally.acknowledged++;
                TopicTally.PartitionTally one = tally.partition(partition, now.plan.settings.mostPartitions);
                one.acknowledged++;
                one.offsets.add(offset, offset);
                if (now.plan.sizes) {
                    tally.size(keySize, valueSize);
                }
                if (now.plan.latency && isSending) {
                    latency(tally, tally.acknowledgementTime, nowMs - timestampMs);
                }
            }
            if (began != 0) {
                now.onAcknowledgement.measured(System.nanoTime() - began);
            }
        }
    }

    /** A record was given up. */
    public void failed(String topic, String reason) {
        Tallies now = tallies;
        if (now == null || !now.plan.counts()) {
            return;
        }
        synchronized (ending) {
            now = tallies;
            if (now == null) {
                return;
            }
            now.onAcknowledgement.calls++;
            TopicTally tally = now.topics.at(CoarseClock.nowMs(), topic);
            if (tally != null) {
                TopicTally.count(tally.failures, reason, 1);
            }
        }
    }

    /** The application gets records, which the body says one by one. */
    public void consumed(Consumer<Consumed> body) {
        Tallies now = tallies;
        if (now == null || !now.plan.counts()) {
            return;
        }
        long began = System.nanoTime();
        synchronized (ending) {
            now = tallies;
            if (now == null) {
                return;
            }
            now.onConsume.calls++;
            body.accept(new Consumed(now, System.currentTimeMillis()));
            now.onConsume.measured(System.nanoTime() - began);
        }
    }

    /** Brokers have acknowledged offsets, which {@link #committed} says one by one. */
    public void commits() {
        Tallies now = tallies;
        if (now != null && now.plan.audit) {
            synchronized (ending) {
                now = tallies;
                if (now == null) {
                    return;
                }
                now.onCommit.calls++;
            }
        }
    }

    /** Brokers have an offset as committed. */
    public void committed(String topic, int partition, long offset) {
        Tallies now = tallies;
        if (now == null || !now.plan.audit) {
            return;
        }
        synchronized (ending) {
            now = tallies;
            if (now == null) {
                return;
            }
            TopicTally tally = now.topics.at(CoarseClock.nowMs(), topic);
            if (tally != null) {
                tally.commits++;
                tally.partition(partition, now.plan.settings.mostPartitions).committedOffset = offset;
            }
        }
    }

    /** The key of a record, serialized; null where it has none. */
    public void key(String topic, byte[] key) {
        Tallies now = tallies;
        if (now == null || now.keys == null) {
            return;
        }
        synchronized (keying) {
            now = tallies;
            if (now == null || now.keys == null) {
                return;
            }
            KeyTally tally = now.keys.at(CoarseClock.nowMs(), topic);
            if (tally != null) {
                tally.add(key);
            }
        }
    }

    /** A record has a key of which the serialized bytes cannot be had. */
    public void unsupportedKey(String topic) {
        Tallies now = tallies;
        if (now == null || now.keys == null) {
            return;
        }
        synchronized (keying) {
            now = tallies;
            if (now == null || now.keys == null) {
                return;
            }
            KeyTally tally = now.keys.at(CoarseClock.nowMs(), topic);
            if (tally != null) {
                tally.uncounted++;
            }
        }
    }

    /** What is done with headers of records; null where nothing is. */
    public HeaderSteps headerSteps() {
        return headerSteps;
    }

    /** The headers of a record were judged. */
    public void judged(JudgedHeaders record) {
        record.end();
        Tallies now = tallies;
        if (now == null || now.headers == null) {
            return;
        }
        synchronized (heading) {
            now = tallies;
            if (now != null && now.headers != null) {
                now.headers.at(CoarseClock.nowMs(), Windows.OTHERS).add(record);
            }
        }
    }

    /** What was to be done with the headers of a record was not, or they are not as they were. */
    public void anomaly(String topic, String reason) {
        synchronized (ending) {
            Tallies now = tallies;
            TopicTally tally = now == null ? null : now.topics.at(CoarseClock.nowMs(), topic);
            if (tally != null) {
                TopicTally.count(tally.anomalies, reason, 1);
            }
        }
    }

    /** A hook has done with headers what it does; whether that failed, and the application has not noticed. */
    public void headersDone(Side of, long tookNs, boolean failed) {
        if (tallies == null) {
            return;
        }
        synchronized (heading) {
            Tallies now = tallies;
            if (now != null) {
                Hook hook = of == Side.PRODUCER ? now.onSendHeaders : now.onConsumeHeaders;
                hook.calls++;
                hook.errors += failed ? 1 : 0;
                hook.measured(tookNs);
            }
        }
    }

    /** A hook of an interceptor of the application's was called; whether it failed. */
    public void called(String interceptor, String hook, long tookNs, boolean failed) {
        if (tallies == null) {
            return;
        }
        synchronized (ending) {
            Tallies now = tallies;
            if (now != null) {
                Hook one = now.custom(interceptor, hook);
                one.calls++;
                one.measured(tookNs);
                if (failed) {
                    one.errors++;
                }
            }
        }
    }

    /** A hook of ours failed; the application has not noticed. */
    public void defect(String hook) {
        Tallies now = tallies;
        if (now == null) {
            return;
        }
        synchronized (ending) {
            now = tallies;
            if (now == null) {
                return;
            }
            now.hook(hook).errors++;
        }
    }

    /** It ends: what it did is reported with the next window. */
    public void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    private long began() {
        calls++;
        return calls % Hook.MEASURED_ONE_IN == 0 ? System.nanoTime() : 0;
    }

    private static void latency(TopicTally tally, Distribution times, long milliseconds) {
        if (milliseconds < 0) {
            TopicTally.count(tally.anomalies, "negative_latency", 1);
        } else {
            times.add(milliseconds * 1_000);
        }
    }

    /** Records that the application gets at once. */
    public static final class Consumed {
        private final Tallies tallies;
        private final long nowMs;
        private TopicTally topic;
        private TopicTally.PartitionTally partition;

        private Consumed(Tallies tallies, long nowMs) {
            this.tallies = tallies;
            this.nowMs = nowMs;
        }

        /** The next records are of this partition; false where nobody wants to know. */
        public boolean from(String name, int number) {
            topic = tallies.topics.at(nowMs, name);
            partition = topic == null ? null : topic.partition(number, tallies.plan.settings.mostPartitions);
            return topic != null;
        }

        /** One record of the partition. */
        public void record(long offset, long timestampMs, int keySize, int valueSize) {
            topic.consumed++;
            partition.consumed++;
            partition.offsets.add(offset, offset);
            if (tallies.plan.sizes) {
                topic.size(keySize, valueSize);
            }
            if (tallies.plan.latency && timestampMs >= 0) {
                latency(topic, topic.endToEndLatency, nowMs - timestampMs);
            }
        }
    }
}
