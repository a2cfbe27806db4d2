package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.stats.CumulativeSum;
import org.apache.kafka.common.metrics.stats.Max;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.Test;

/** With Kafka's own registry of metrics, as its ClientMetricsManager fills and empties it. */
class TelemetrySensorsTest {
    private final TelemetrySensors sensors = new TelemetrySensors();

    @Test
    void aBrokerWithoutSuchSensorsSaysNothing() {
        assertEquals("{}", json());
    }

    @Test
    void anInstanceAsksUntilItsLastSensorIsGone() {
        KafkaMetric first = value("throttle-count", "abc", 0);
        KafkaMetric second = value("plugin-export-count", "abc", 0);
        sensors.add(first);
        sensors.add(second);
        sensors.add(second);
        sensors.remove(first);
        assertEquals(Set.of("abc"), Set.copyOf(sensors.asking()));
        sensors.remove(second);
        assertTrue(sensors.asking().isEmpty());
    }

    @Test
    void totalsAndTheInstancesThatFailedAreWritten() {
        try (Metrics broker = new Metrics()) {
            Sensor unknown = broker.sensor("unknown");
            unknown.add(new MetricName("unknown-subscription-request-count", "client-metrics", "", Map.of()),
                new CumulativeSum());
            unknown.record(1);
            unknown.record(1);
            Sensor throttle = broker.sensor("throttle-a");
            throttle.add(name("throttle-count", "a"), new CumulativeSum());
            throttle.record(1);
            Sensor export = broker.sensor("export-b");
            export.add(name("plugin-export-count", "b"), new CumulativeSum());
            export.add(name("plugin-export-time-max", "b"), new Max());
            export.record(7);
            broker.metrics().values().forEach(sensors::add);
            assertEquals("{\"sensors\":{\"instances\":2,\"throttled\":1,\"unknown_subscription\":2,\"plugin_errors\":0,"
                + "\"exported\":7,\"slowest_export_ms\":7,\"worst\":[{\"client_instance_id\":\"a\",\"throttled\":1,"
                + "\"plugin_errors\":0,\"exported\":0}]}}", json());
        }
    }

    @Test
    void theBrokersOwnCountOfInstancesIsTaken() {
        sensors.add(new KafkaMetric(new Object(), new MetricName("instance-count", "client-metrics", "", Map.of()),
            (Measurable) (config, now) -> 16_384, new MetricConfig(), Time.SYSTEM));
        assertTrue(json().contains("\"instances\":16384"), json());
    }

    @Test
    void whatAnInstanceCountedStaysInTheTotalsWhenTheBrokerForgetsIt() {
        KafkaMetric errors = value("plugin-error-count", "a", 3);
        sensors.add(errors);
        sensors.add(value("plugin-error-count", "b", 2));
        assertTrue(json().contains("\"plugin_errors\":5,"), json());
        sensors.remove(errors);
        sensors.remove(errors);
        assertTrue(json().contains("\"plugin_errors\":5,"), json());
        assertTrue(!json().contains("\"a\""), json());
    }

    @Test
    void onlyTheHundredInstancesWithMostAreListed() {
        for (int i = 1; i <= 150; i++) {
            sensors.add(value("throttle-count", String.format("i%03d", i), i));
        }
        String text = json();
        assertEquals(100, text.split("client_instance_id", -1).length - 1);
        assertTrue(text.contains("i150") && text.contains("i051") && !text.contains("i050"), text);
        assertTrue(text.contains("\"throttled\":" + 150 * 151 / 2), text);
    }

    @Test
    void aMetricThatFailsCountsAsNothing() {
        sensors.add(new KafkaMetric(new Object(), name("throttle-count", "a"),
            (Measurable) (config, now) -> {
                throw new IllegalStateException("broken");
            }, new MetricConfig(), Time.SYSTEM));
        sensors.add(value("throttle-count", "b", Double.NaN));
        assertTrue(json().contains("\"worst\":[]"), json());
    }

    private String json() {
        return Json.object(64, sensors::write);
    }

    private static MetricName name(String metric, String instance) {
        return new MetricName(metric, "client-metrics", "", Map.of("client_instance_id", instance));
    }

    private static KafkaMetric value(String metric, String instance, double value) {
        return new KafkaMetric(new Object(), name(metric, instance),
            (Measurable) (config, now) -> value, new MetricConfig(), Time.SYSTEM);
    }
}
