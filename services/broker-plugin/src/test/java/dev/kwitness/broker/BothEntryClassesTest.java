package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.server.telemetry.ClientTelemetryReceiver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kafka 4.2 and later give each push to both entry classes: in one broker, one of them works. */
@SuppressWarnings({"deprecation", "removal"})
class BothEntryClassesTest {
    private static final String BOTH = "dev.kwitness.broker.KwitnessLegacyReporter,"
        + " dev.kwitness.broker.KwitnessReporter,org.apache.kafka.common.metrics.JmxReporter";

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theOneForOlderBrokersStandsAsideWhicheverComesFirst(boolean legacyFirst) throws JMException {
        KwitnessLegacyReporter legacy = new KwitnessLegacyReporter();
        KwitnessReporter reporter = new KwitnessReporter();
        List<PluginReporter> order = legacyFirst ? List.of(legacy, reporter) : List.of(reporter, legacy);
        order.forEach(one -> begin(one, BOTH));
        try {
            ClientTelemetryReceiver receiver = legacy.clientReceiver();
            receiver.exportMetrics(null, null);

            assertFalse(legacy.active());
            assertTrue(reporter.active());
            legacy.close();
            assertEquals(0L, attribute("DroppedPushes"));
            assertEquals(0L, attribute("AcceptedPushes"));
            assertEquals(List.of("BothEntryClasses"), List.of((Object[]) attribute("Warnings")));
        } finally {
            reporter.close();
            legacy.close();
        }
    }

    @Test
    void oneThatIsAddedLaterStandsAsideUntilTheOtherIsClosed() {
        KwitnessLegacyReporter legacy = new KwitnessLegacyReporter();
        KwitnessReporter added = new KwitnessReporter();
        KwitnessReporter instead = new KwitnessReporter();
        try {
            begin(legacy, "dev.kwitness.broker.KwitnessLegacyReporter");
            begin(added, "dev.kwitness.broker.KwitnessReporter");
            assertTrue(legacy.active());
            assertFalse(added.active());

            legacy.close();
            begin(instead, "dev.kwitness.broker.KwitnessReporter");

            assertTrue(instead.active());
        } finally {
            List.of(legacy, added, instead).forEach(PluginReporter::close);
        }
    }

    @Test
    void twoOfOneClassWorkSideBySideAsInAProcessWithBrokerAndController() {
        KwitnessReporter one = new KwitnessReporter();
        KwitnessReporter other = new KwitnessReporter();
        try {
            begin(one, "dev.kwitness.broker.KwitnessReporter");
            begin(other, "dev.kwitness.broker.KwitnessReporter");

            assertTrue(one.active());
            assertTrue(other.active());
        } finally {
            List.of(one, other).forEach(PluginReporter::close);
        }
    }

    private static void begin(PluginReporter reporter, String reporters) {
        Map<String, String> properties = new HashMap<>();
        properties.put("process.roles", "broker");
        properties.put("metric.reporters", reporters);
        properties.put(PluginConfig.URL, "http://127.0.0.1:9");
        properties.put(PluginConfig.INSECURE, "true");
        properties.put(PluginConfig.CLOSE_TIMEOUT, "1");
        reporter.configure(properties);
        reporter.init(List.of());
    }

    private static Object attribute(String name) throws JMException {
        return ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName(PluginMBean.NAME), name);
    }
}
