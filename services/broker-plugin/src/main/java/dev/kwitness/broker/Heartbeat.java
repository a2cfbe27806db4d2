package dev.kwitness.broker;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that tells the collector, every few seconds, who is connected and how the plugin fares. */
final class Heartbeat implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    private final CollectorClient client;
    private final Target target;
    private final BrokerIdentity broker;
    private final BrokerMetrics metrics;
    private final Listeners listeners;
    private final PushReceiver receiver;
    private final Supplier<Ledger> ledger;
    private final Supplier<List<String>> warnings;
    private final long intervalMs;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private long sequence;
    private boolean failing;
    private final AtomicLong failures = new AtomicLong();

    Heartbeat(
            CollectorClient client, Target target, BrokerIdentity broker, BrokerMetrics metrics, Listeners listeners,
            PushReceiver receiver, Supplier<Ledger> ledger, Supplier<List<String>> warnings, long intervalMs) {
        this.client = client;
        this.target = target;
        this.broker = broker;
        this.metrics = metrics;
        this.listeners = listeners;
        this.receiver = receiver;
        this.ledger = ledger;
        this.warnings = warnings;
        this.intervalMs = intervalMs;
    }

    @Override
    public void run() {
        try {
            do {
                beat();
            } while (!stopped.await(intervalMs, TimeUnit.MILLISECONDS));
            // The last word: what the end of the broker cost.
            beat();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Send a last heartbeat, then end. */
    void finish() {
        stopped.countDown();
    }

    /** End now. */
    void abandon() {
        stopped.countDown();
        client.abort();
    }

    /** Heartbeats the collector did not accept since the start. They are not sent again: the next one is newer. */
    long failures() {
        return failures.get();
    }

    private void beat() {
        try {
            byte[] body = CollectorClient.compress(json(System.currentTimeMillis()));
            Answer answer = client.post(target, Contract.PATH_GAUGES, body);
            report(answer);
        } catch (RuntimeException | Error defect) {
            failures.incrementAndGet();
            LOG.error("A snapshot of the connection gauges could not be made because of a defect or a lack of memory; "
                + "please report a defect", defect);
        }
    }

    /** The message for one moment, in milliseconds since 1970. */
    String json(long nowMs) {
        sequence++;
        List<Json.Body> connections = new ArrayList<>();
        listeners.clientFacing(metrics.connections(), receiver.listeners())
            .forEach(gauge -> connections.add(gauge::write));
        Ledger counts = ledger.get();
        Map<String, Long> dropped = new LinkedHashMap<>();
        counts.dropped().forEach((reason, number) -> dropped.put(reason.label(), number));
        return Json.object(1024, object -> {
            broker.write(object, Contract.SCHEMA_GAUGES);
            object.put(Contract.KEY_SEQ, sequence)
                .put(Contract.KEY_SENT_AT_MS, nowMs)
                .put(Contract.KEY_JAVA_VERSION, System.getProperty("java.version"))
                .put(Contract.KEY_LISTENERS, limited(listeners.configured()))
                .put(Contract.KEY_INTER_BROKER_LISTENER, listeners.interBroker())
                .put(Contract.KEY_PUSH_SHARING_INTER_BROKER_LISTENER, listeners.shared())
                .put(Contract.KEY_GAUGE_TRUNCATED, metrics.truncated())
                .putObjects(Contract.KEY_CONNECTIONS, connections)
                .putTexts(Contract.KEY_ASKING, metrics.sensors().asking());
            metrics.sensors().write(object);
            object.putObject(Contract.KEY_LEDGER, totals -> totals
                .put(Contract.KEY_ACCEPTED, counts.accepted())
                .put(Contract.KEY_DELIVERED, counts.delivered())
                .put(Contract.KEY_QUEUED, counts.queued())
                .putNumbers(Contract.KEY_DROPPED, dropped))
                .putTexts(Contract.KEY_WARNINGS, warnings.get());
        });
    }

    /** The contract allows 4096 characters. */
    private static String limited(String text) {
        return text.length() > 4096 ? text.substring(0, 4096) : text;
    }

    private void report(Answer answer) {
        boolean failed = answer.verdict() != Answer.Verdict.DELIVERED;
        if (failed) {
            failures.incrementAndGet();
        }
        if (failed && !failing) {
            LOG.warn("The collector at {} did not accept the connection gauges ({}); tried again every {} ms", target,
                answer, intervalMs);
        } else if (!failed && failing) {
            LOG.info("The collector at {} accepts the connection gauges again", target);
        }
        failing = failed;
    }
}
