package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetryContext;
import org.junit.jupiter.api.Test;

class PassiveReporterTest {
    @Test
    void wrongSettingsLeaveTheReporterPassive() throws JMException {
        KwitnessReporter reporter = new KwitnessReporter();
        reporter.configure(Map.of("process.roles", "broker,controller", PluginConfig.URL, "nonsense"));
        reporter.init(List.of());
        ObjectName bean = new ObjectName(PluginMBean.NAME);
        reporter.clientTelemetryExporter().exportMetrics(new ClientTelemetryContext() {
            @Override
            public int pushIntervalMs() {
                return 1_000;
            }

            @Override
            public AuthorizableRequestContext authorizableRequestContext() {
                return null;
            }
        }, null);
        Object dropped = ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "DroppedPushes");
        Object active = ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "Active");
        Object warnings = ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "Warnings");
        reporter.close();
        assertEquals(1L, dropped);
        assertEquals(false, active);
        assertEquals(List.of("InvalidConfiguration"), List.of((Object[]) warnings));
    }

    @Test
    void aNodeThatIsOnlyAControllerIsPassive() {
        KwitnessLegacyReporter reporter = new KwitnessLegacyReporter();
        reporter.configure(Map.of("process.roles", "controller", PluginConfig.URL, "https://collector:8443"));
        reporter.init(List.of());
        reporter.close();
        assertFalse(reporter.active());
    }
}
