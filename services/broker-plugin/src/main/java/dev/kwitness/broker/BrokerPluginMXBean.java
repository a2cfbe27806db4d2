package dev.kwitness.broker;

import java.util.List;
import java.util.Map;

/** The plugin's counters in JMX, as {@code dev.kwitness:type=broker-plugin}. */
public interface BrokerPluginMXBean {
    /** False while the plugin is passive for its configuration or the node's role. */
    boolean isActive();

    /** Pushes the broker handed over since the start. */
    long getAcceptedPushes();

    /** Pushes the collector acknowledged. */
    long getDeliveredPushes();

    /** Pushes that wait or are being sent. */
    long getQueuedPushes();

    /** Memory accounted for them, in bytes. */
    long getQueuedBytes();

    /** Pushes lost, all reasons together. */
    long getDroppedPushes();

    /** Pushes lost, by reason. */
    Map<String, Long> getDroppedPushesByReason();

    /** Attempts to send a batch that were not acknowledged. */
    long getFailedAttempts();

    /** Heartbeats that were not accepted. */
    long getFailedHeartbeats();

    /** What is not as it should be, in one word each. */
    List<String> getWarnings();
}
