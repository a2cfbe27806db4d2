package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.Test;

class BrokerMetricsTest {
    private final BrokerMetrics metrics = new BrokerMetrics();

    @Test
    void connectionsAreSummedOverNetworkProcessors() {
        metrics.add(gauge("EXTERNAL", "0", "librdkafka", "2.5.3", 2));
        metrics.add(gauge("EXTERNAL", "1", "librdkafka", "2.5.3", 3));
        metrics.add(gauge("EXTERNAL", "1", "librdkafka", "2.6.0", 1));
        assertEquals(List.of("EXTERNAL librdkafka 2.5.3 5", "EXTERNAL librdkafka 2.6.0 1"), shown());
    }

    @Test
    void aGaugeIsGoneWhenItIsRemovedAndWhenItIsZero() {
        KafkaMetric removed = gauge("EXTERNAL", "0", "librdkafka", "2.5.3", 2);
        metrics.add(removed);
        metrics.add(gauge("EXTERNAL", "0", "librdkafka", "2.6.0", 0));
        metrics.remove(removed);
        assertEquals(List.of(), shown());
    }

    @Test
    void aGaugeThatFailsIsLeftOutAlone() {
        Map<String, String> tags = Map.of("listener", "EXTERNAL", "clientSoftwareName", "x");
        metrics.add(metric("connections", "socket-server-metrics", tags, (config, now) -> {
            throw new IllegalStateException("broken");
        }));
        metrics.add(gauge("EXTERNAL", "0", "librdkafka", "2.5.3", 2));
        assertEquals(List.of("EXTERNAL librdkafka 2.5.3 2"), shown());
    }

    @Test
    void otherMetricsDoNotMatter() {
        metrics.add(metric("connections", "something-else", Map.of("clientSoftwareName", "x"), (config, now) -> 1));
        metrics.add(metric("connection-count", "socket-server-metrics", Map.of("listener", "x"), (config, now) -> 1));
        assertEquals(List.of(), shown());
        assertTrue(metrics.sensors().asking().isEmpty());
    }

    @Test
    void aHundredKindsOnOneProcessorMeanThatOthersMayBeMissing() {
        for (int i = 0; i < 99; i++) {
            metrics.add(gauge("EXTERNAL", "0", "client", "1." + i, 1));
            metrics.add(gauge("EXTERNAL", "1", "client", "1." + i, 1));
        }
        assertFalse(metrics.truncated());
        metrics.add(gauge("EXTERNAL", "0", "client", "2.0", 1));
        assertTrue(metrics.truncated());
    }

    private List<String> shown() {
        return metrics.connections().stream()
            .map(g -> g.listener() + " " + g.softwareName() + " " + g.softwareVersion() + " " + g.connections())
            .collect(Collectors.toList());
    }

    private static KafkaMetric gauge(String listener, String processor, String name, String version, int value) {
        return metric("connections", "socket-server-metrics", Map.of(
            "listener", listener, "networkProcessor", processor,
            "clientSoftwareName", name, "clientSoftwareVersion", version), (config, now) -> value);
    }

    private static KafkaMetric metric(String name, String group, Map<String, String> tags, Gauge<Integer> gauge) {
        return new KafkaMetric(
            new Object(), new MetricName(name, group, "", tags), gauge, new MetricConfig(), Time.SYSTEM);
    }
}
