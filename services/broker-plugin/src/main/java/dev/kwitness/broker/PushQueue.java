package dev.kwitness.broker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Pushes that wait for the sender, bounded by memory and number; the oldest give way.
 *
 * <p>A batch taken by the sender stays accounted for until it is settled and is never given up for newer pushes: the
 * collector may already have it, and its retry must be the same. All counts change under one lock, so that every
 * {@link Ledger} adds up. The lock is held for moving references only, since request handler threads wait for it.
 */
final class PushQueue {
    private final long maxBytes;
    private final int maxPushes;
    private final Deque<Push> waiting = new ArrayDeque<>();
    private final Map<DropReason, Long> dropped = new EnumMap<>(DropReason.class);
    private List<Push> inFlight = new ArrayList<>();
    private long waitingBytes;
    private long inFlightBytes;
    private long accepted;
    private long delivered;
    private int wakePushes = 1;
    private long wakeBytes;
    private boolean closed;

    PushQueue(long maxBytes, int maxPushes) {
        this.maxBytes = maxBytes;
        this.maxPushes = maxPushes;
    }

    /** Number a push and keep it, or count it as dropped; never waits for room. */
    synchronized void offer(Push push) {
        accepted++;
        push.number(accepted);
        int size = push.sizeInBytes();
        if (closed) {
            drop(DropReason.CLOSED, 1);
            return;
        }
        if (size > maxBytes) {
            drop(DropReason.TOO_LARGE, 1);
            return;
        }
        while (waitingBytes + inFlightBytes + size > maxBytes || waiting.size() + inFlight.size() >= maxPushes) {
            Push oldest = waiting.pollFirst();
            drop(DropReason.QUEUE_FULL, 1);
            if (oldest == null) {
                return;
            }
            waitingBytes -= oldest.sizeInBytes();
        }
        waiting.addLast(push);
        waitingBytes += size;
        // Handler threads wake the sender only for a first push and a full batch, not for each push in between.
        if (waiting.size() == 1 || waiting.size() >= wakePushes || waitingBytes >= wakeBytes) {
            notifyAll();
        }
    }

    /** Count a push that could not even be copied. */
    synchronized void refuse(DropReason reason) {
        accepted++;
        drop(reason, 1);
    }

    /**
     * The next batch in order, at least one push, held in flight until it is settled or released.
     *
     * <p>Waits until there are enough pushes for a full batch, or the oldest has waited for the linger time, or the
     * queue is closed. An empty list means: closed and nothing left.
     */
    synchronized List<Push> take(int batchPushes, long batchBytes, long lingerMs) throws InterruptedException {
        long lingerNanos = TimeUnit.MILLISECONDS.toNanos(lingerMs);
        long firstSeen = 0;
        wakePushes = batchPushes;
        wakeBytes = batchBytes;
        while (!closed && waiting.size() < batchPushes && waitingBytes < batchBytes) {
            if (waiting.isEmpty()) {
                firstSeen = 0;
                wait();
                continue;
            }
            long now = System.nanoTime();
            firstSeen = firstSeen == 0 ? now : firstSeen;
            long left = lingerNanos - (now - firstSeen);
            if (left <= 0) {
                break;
            }
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
        }
        List<Push> batch = new ArrayList<>(Math.min(batchPushes, waiting.size()));
        long bytes = 0;
        while (!waiting.isEmpty() && batch.size() < batchPushes) {
            int size = waiting.peekFirst().sizeInBytes();
            if (!batch.isEmpty() && bytes + size > batchBytes) {
                break;
            }
            batch.add(waiting.pollFirst());
            bytes += size;
        }
        waitingBytes -= bytes;
        inFlight = batch;
        inFlightBytes = bytes;
        return List.copyOf(batch);
    }

    /** A part of the batch in flight was acknowledged; some of its pushes may have been rejected for good. */
    synchronized void settleDelivered(List<Push> part, int rejected) {
        int lost = Math.min(rejected, part.size());
        delivered += part.size() - lost;
        drop(DropReason.REJECTED, lost);
        land(part);
    }

    /** A part of the batch in flight will never be accepted. */
    synchronized void settleDropped(List<Push> part, DropReason reason) {
        drop(reason, part.size());
        land(part);
    }

    /** Put what is left of the batch in flight back to the front, to be taken again. */
    synchronized void release() {
        for (int i = inFlight.size() - 1; i >= 0; i--) {
            waiting.addFirst(inFlight.get(i));
        }
        waitingBytes += inFlightBytes;
        forgetInFlight();
    }

    /** Give up what is left of the batch in flight. */
    synchronized void dropInFlight(DropReason reason) {
        drop(reason, inFlight.size());
        forgetInFlight();
    }

    /** Accept nothing more; the sender gets what is left without lingering. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }

    /** Give up everything that is left. */
    synchronized void abandon() {
        closed = true;
        drop(DropReason.CLOSED, waiting.size() + inFlight.size());
        waiting.clear();
        waitingBytes = 0;
        forgetInFlight();
        notifyAll();
    }

    synchronized Ledger ledger() {
        return new Ledger(
            accepted, delivered, waiting.size() + inFlight.size(), waitingBytes + inFlightBytes, dropped);
    }

    private void drop(DropReason reason, long number) {
        if (number > 0) {
            dropped.merge(reason, number, Long::sum);
        }
    }

    private void land(List<Push> part) {
        Set<Push> landed = Set.copyOf(part);
        inFlight.removeAll(landed);
        for (Push push : landed) {
            inFlightBytes -= push.sizeInBytes();
        }
    }

    private void forgetInFlight() {
        inFlight = new ArrayList<>();
        inFlightBytes = 0;
    }
}
