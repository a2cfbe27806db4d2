package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class PassiveReporterTest {
    @Test
    void wrongSettingsLeaveTheReporterPassive() throws JMException {
        KwitnessReporter reporter = new KwitnessReporter();
        reporter.configure(Map.of("process.roles", "broker,controller", PluginConfig.URL, "nonsense"));
        reporter.init(List.of());
        ObjectName bean = new ObjectName(PluginMBean.NAME);
        Object active = ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "Active");
        Object warnings = ManagementFactory.getPlatformMBeanServer().getAttribute(bean, "Warnings");
        reporter.close();
        assertNull(reporter.clientTelemetryExporter());
        assertEquals(false, active);
        assertEquals(List.of("InvalidConfiguration"), List.of((Object[]) warnings));
    }

    @Test
    void aNodeThatIsOnlyAControllerIsPassive() {
        KwitnessLegacyReporter reporter = new KwitnessLegacyReporter();
        reporter.configure(Map.of("process.roles", "controller", PluginConfig.URL, "https://collector:8443"));
        reporter.init(List.of());
        reporter.close();
        assertNull(reporter.clientReceiver());
    }
}
