package dev.kwitness.broker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;

/**
 * The broker's own metrics that say something about its clients, as they appear and disappear.
 *
 * <p>Of the thousands a broker has only two kinds are kept: the KIP-511 connection gauges, and the sensors of client
 * telemetry. Called from the broker's threads.
 */
final class BrokerMetrics {
    /** A network processor counts no further software beyond this number (IntGaugeSuite in Selector, KIP-511). */
    static final int GAUGES_PER_PROCESSOR = 100;

    private static final String NAME = "clientSoftwareName";
    private static final String VERSION = "clientSoftwareVersion";
    private static final String LISTENER = "listener";
    private static final String PROCESSOR = "networkProcessor";

    private final Map<MetricName, KafkaMetric> gauges = new ConcurrentHashMap<>();
    private final TelemetrySensors sensors = new TelemetrySensors();

    void add(KafkaMetric metric) {
        MetricName name = metric.metricName();
        if (isConnectionGauge(name)) {
            gauges.put(name, metric);
        } else if (TelemetrySensors.isOne(name)) {
            sensors.add(metric);
        }
    }

    void remove(KafkaMetric metric) {
        MetricName name = metric.metricName();
        gauges.remove(name);
        if (TelemetrySensors.isOne(name)) {
            sensors.remove(metric);
        }
    }

    /** Connections per listener, software and version, summed over network processors; never zero. */
    List<ConnectionGauge> connections() {
        Map<String, ConnectionGauge> sums = new TreeMap<>();
        for (KafkaMetric metric : gauges.values()) {
            Map<String, String> tags = metric.metricName().tags();
            long number = TelemetrySensors.number(metric);
            if (number > 0) {
                String key = tags.get(LISTENER) + '\n' + tags.get(NAME) + '\n' + tags.get(VERSION);
                sums.merge(key, new ConnectionGauge(tags.get(LISTENER), tags.get(NAME), tags.get(VERSION), number),
                    ConnectionGauge::plus);
            }
        }
        return new ArrayList<>(sums.values());
    }

    /** Whether some network processor has as many gauges as it can have, so that others may be missing. */
    boolean truncated() {
        Map<String, Integer> perProcessor = new HashMap<>();
        for (MetricName name : gauges.keySet()) {
            perProcessor.merge(name.tags().get(LISTENER) + '\n' + name.tags().get(PROCESSOR), 1, Integer::sum);
        }
        return perProcessor.values().stream().anyMatch(number -> number >= GAUGES_PER_PROCESSOR);
    }

    /** What the broker counts of client telemetry. */
    TelemetrySensors sensors() {
        return sensors;
    }

    private static boolean isConnectionGauge(MetricName name) {
        return name.name().equals("connections") && name.group().equals("socket-server-metrics")
            && name.tags().containsKey(NAME);
    }
}
