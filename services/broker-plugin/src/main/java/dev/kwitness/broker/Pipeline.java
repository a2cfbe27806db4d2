package dev.kwitness.broker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Everything that runs while the plugin is active, put together: receiver, queue, sender, heartbeat. */
final class Pipeline {
    private static final Logger LOG = LoggerFactory.getLogger(Pipeline.class);
    /** A broker that stops waits for the last heartbeat no longer than this. */
    private static final long LAST_HEARTBEAT_MS = 1_000;

    private final PluginConfig config;
    private final List<String> standingWarnings;
    private final TokenFile token;
    private final Trust trust;
    private final ClientIdentities identities = new ClientIdentities();
    private final PushQueue queue;
    private final PushReceiver receiver;
    private final PushSender sender;
    private final Heartbeat heartbeat;
    private final Thread senderThread;
    private final Thread heartbeatThread;

    Pipeline(
            PluginConfig config, BrokerIdentity broker, BrokerMetrics metrics, Map<String, ?> brokerProperties,
            List<String> standingWarnings) {
        this.config = config;
        this.standingWarnings = List.copyOf(standingWarnings);
        this.token = new TokenFile(config.tokenFile());
        this.trust = new Trust(config.caFile());
        this.queue = new PushQueue(config.queueMaxBytes(), config.integer(PluginConfig.QUEUE_PUSHES));
        this.receiver = new PushReceiver(queue, identities);
        this.sender = new PushSender(
            queue, client(), new Route(config.url(), config.balancedByClient()), broker, config);
        this.heartbeat = new Heartbeat(
            client(), Target.of(config.url()), broker, metrics, new Listeners(brokerProperties), receiver,
            queue::ledger, this::warnings, config.integer(PluginConfig.HEARTBEAT));
        this.senderThread = thread("kwitness-push-sender", sender);
        this.heartbeatThread = thread("kwitness-heartbeat", heartbeat);
    }

    void start() {
        senderThread.start();
        heartbeatThread.start();
    }

    PushReceiver receiver() {
        return receiver;
    }

    Ledger ledger() {
        return queue.ledger();
    }

    long failedAttempts() {
        return sender.failedAttempts();
    }

    long failedHeartbeats() {
        return heartbeat.failures();
    }

    /** What is not as it should be now, in one word each. */
    List<String> warnings() {
        List<String> now = new ArrayList<>(standingWarnings);
        if (!token.readable()) {
            now.add(Warning.TOKEN_UNREADABLE.word());
        }
        if (!trust.readable()) {
            now.add(Warning.CERTIFICATES_UNREADABLE.word());
        }
        if (identities.incomplete()) {
            now.add(Warning.IDENTITY_INCOMPLETE.word());
        }
        return now;
    }

    /** Send what is queued for as long as the configuration allows, then end. */
    void close() {
        queue.close();
        try {
            senderThread.join(Math.max(1, config.integer(PluginConfig.CLOSE_TIMEOUT)));
            if (senderThread.isAlive()) {
                sender.abandon();
                senderThread.join(TimeUnit.SECONDS.toMillis(1));
            }
        } catch (InterruptedException hurried) {
            sender.abandon();
            Thread.currentThread().interrupt();
        }
        queue.abandon();
        endHeartbeat();
        Ledger end = queue.ledger();
        LOG.info("kwitness broker plugin closed: {} pushes accepted, {} delivered, dropped {}", end.accepted(),
            end.delivered(), end.dropped());
    }

    /** After the queue, so that the collector hears what was dropped at the end. */
    private void endHeartbeat() {
        heartbeat.finish();
        try {
            heartbeatThread.join(LAST_HEARTBEAT_MS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        heartbeat.abandon();
    }

    /** Each thread its own, so that a heartbeat gets through while a batch is being retried. */
    private CollectorClient client() {
        return new CollectorClient(
            config.integer(PluginConfig.CONNECT_TIMEOUT), config.integer(PluginConfig.READ_TIMEOUT),
            config.integer(PluginConfig.REQUEST_TIMEOUT), token, trust);
    }

    private static Thread thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        // The broker must be able to end whatever the collector does.
        thread.setDaemon(true);
        return thread;
    }
}
