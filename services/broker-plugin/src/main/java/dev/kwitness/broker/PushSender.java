package dev.kwitness.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that carries pushes to the collector: one batch at a time, in order, until each is answered. */
final class PushSender implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(PushSender.class);
    private static final long REMIND_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Failures in a row, the last of them of one push alone, after which that one is given up. */
    private static final int MOST_DEFECTS = 16;

    private final PushQueue queue;
    private final CollectorClient client;
    private final Route route;
    private final BrokerIdentity broker;
    private final Backoff backoff;
    private final int maxPushes;
    private final long maxBytes;
    private final long lingerMs;
    private final CountDownLatch abandoned = new CountDownLatch(1);
    private final AtomicInteger batchPushes;
    private long remindedAt;
    private final AtomicInteger defects = new AtomicInteger();
    private final AtomicLong failedAttempts = new AtomicLong();

    PushSender(PushQueue queue, CollectorClient client, Route route, BrokerIdentity broker, PluginConfig config) {
        this.queue = queue;
        this.client = client;
        this.route = route;
        this.broker = broker;
        this.backoff = new Backoff(
            config.integer(PluginConfig.BACKOFF), config.integer(PluginConfig.BACKOFF_MAX));
        this.maxPushes = config.integer(PluginConfig.BATCH_PUSHES);
        this.maxBytes = config.integer(PluginConfig.BATCH_BYTES);
        this.lingerMs = config.integer(PluginConfig.LINGER);
        this.batchPushes = new AtomicInteger(maxPushes);
    }

    @Override
    public void run() {
        try {
            boolean ended = false;
            while (!ended) {
                ended = sendUntilDefect();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } finally {
            queue.abandon();
        }
    }

    /** Send until the plugin is closed; false when a defect came before that, or an Error such as a lack of memory. */
    private boolean sendUntilDefect() throws InterruptedException {
        try {
            for (List<Push> batch = next(); !batch.isEmpty(); batch = next()) {
                deliver(batch);
                defects.set(0);
            }
            return true;
        } catch (RuntimeException | Error defect) {
            return endsAfter(defect);
        }
    }

    /** Make the batch smaller and try it again later; a push that alone fails again and again is dropped. */
    private boolean endsAfter(Throwable defect) throws InterruptedException {
        failedAttempts.incrementAndGet();
        if (defects.incrementAndGet() >= MOST_DEFECTS && batchPushes.get() == 1) {
            defects.set(0);
            queue.dropInFlight(DropReason.INTERNAL);
        } else {
            batchPushes.updateAndGet(pushes -> Math.max(1, pushes / 2));
            queue.release();
        }
        long delayMs = backoff.next(Answer.failed("defect"));
        tell(defect, delayMs);
        return abandoned.await(delayMs, TimeUnit.MILLISECONDS);
    }

    private static void tell(Throwable defect, long delayMs) {
        try {
            LOG.error("Pushes could not be sent because of a defect or a lack of memory; they are tried again in "
                + "{} ms. Please report a defect", delayMs, defect);
        } catch (RuntimeException | Error unsaid) {
            // Without memory there may be no line either; the thread must go on all the same.
            return;
        }
    }

    /** Give up retries; the thread ends soon. */
    void abandon() {
        abandoned.countDown();
        client.abort();
    }

    /** Attempts without an acknowledgement since the start. */
    long failedAttempts() {
        return failedAttempts.get();
    }

    private List<Push> next() throws InterruptedException {
        return abandoned.getCount() == 0 ? List.of() : queue.take(batchPushes.get(), maxBytes, lingerMs);
    }

    private void deliver(List<Push> batch) throws InterruptedException {
        List<Push> left = new ArrayList<>(batch);
        List<Push> part = List.of();
        byte[] body = {};
        while (!left.isEmpty()) {
            // Asked again before each attempt: addresses come and go while a part is retried.
            Map.Entry<Target, List<Push>> next = route.split(left).entrySet().iterator().next();
            if (!part.equals(next.getValue())) {
                part = List.copyOf(next.getValue());
                body = CollectorClient.compress(PushBatch.json(broker, part));
            }
            Answer answer = client.post(next.getKey(), Contract.PATH_PUSHES, body).forPushes(part.size());
            if (waitsAfter(next.getKey(), answer)) {
                continue;
            }
            if (!settle(part, answer)) {
                queue.release();
                return;
            }
            left.removeAll(Set.copyOf(part));
        }
        batchPushes.updateAndGet(pushes -> Math.min(maxPushes, pushes * 2));
    }

    /** Wait when an answer asks for another attempt; false when it is final or the plugin is closed. */
    private boolean waitsAfter(Target target, Answer answer) throws InterruptedException {
        switch (answer.verdict()) {
            case RETRY:
            case RETRY_SLOWLY:
                failedAttempts.incrementAndGet();
                route.doubt();
                long delayMs = backoff.next(answer);
                complain(target, answer, delayMs);
                return !abandoned.await(delayMs, TimeUnit.MILLISECONDS);
            default:
                if (backoff.failures() > 0) {
                    LOG.info("The collector at {} answers again, after {} failed attempts", target,
                        backoff.failures());
                }
                backoff.reset();
                return false;
        }
    }

    /** Account for an answer; false when the pushes have to be tried again, in other batches or never. */
    private boolean settle(List<Push> part, Answer answer) {
        switch (answer.verdict()) {
            case DELIVERED:
                if (answer.rejected() > 0) {
                    LOG.warn("The collector rejected {} of {} pushes: {}", answer.rejected(), part.size(), answer);
                }
                queue.settleDelivered(part, answer.rejected());
                return true;
            case TOO_LARGE:
            case REFUSED:
                if (part.size() > 1) {
                    // A limit on the way, such as an ingress's, or one bad push: others must not go with it.
                    batchPushes.set(part.size() / 2);
                    return false;
                }
                drop(part, answer.verdict() == Answer.Verdict.REFUSED ? DropReason.REFUSED : DropReason.TOO_LARGE,
                    answer);
                return true;
            default:
                // Abandoned: what is left is counted when the thread ends.
                return false;
        }
    }

    private void drop(List<Push> part, DropReason reason, Answer answer) {
        LOG.warn("The collector refused {} pushes for good ({}); they are dropped and counted as {}", part.size(),
            answer, reason.label());
        queue.settleDropped(part, reason);
    }

    private void complain(Target target, Answer answer, long delayMs) {
        long now = System.nanoTime();
        if (backoff.failures() == 1 || now - remindedAt > REMIND_NANOS) {
            remindedAt = now;
            LOG.warn("The collector at {} did not accept a batch ({}), attempt {}; pushes wait in the queue, next try "
                + "in {} ms. Check {}, the collector's log and, for HTTP 401 or 403, {}", target, answer,
                backoff.failures(), delayMs, PluginConfig.URL, PluginConfig.TOKEN_FILE);
        }
    }
}
