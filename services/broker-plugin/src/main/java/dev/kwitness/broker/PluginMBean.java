package dev.kwitness.broker;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows a running plugin in JMX; a MetricsReporter cannot add to the broker's own metrics. */
final class PluginMBean implements BrokerPluginMXBean {
    static final String NAME = "dev.kwitness:type=broker-plugin";

    private static final Logger LOG = LoggerFactory.getLogger(PluginMBean.class);

    private final Pipeline pipeline;
    private final LongAdder passiveDrops;
    private final List<String> passiveWarnings;

    /** The pipeline is null while the plugin is passive. */
    PluginMBean(Pipeline pipeline, LongAdder passiveDrops, List<String> passiveWarnings) {
        this.pipeline = pipeline;
        this.passiveDrops = passiveDrops;
        this.passiveWarnings = passiveWarnings;
    }

    void register() {
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(this, new ObjectName(NAME));
        } catch (JMException unavailable) {
            LOG.warn("The plugin's counters are not in JMX as {}: {}", NAME, unavailable.toString());
        }
    }

    void unregister() {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(new ObjectName(NAME));
        } catch (JMException gone) {
            LOG.debug("The plugin's counters were not in JMX", gone);
        }
    }

    @Override
    public boolean isActive() {
        return pipeline != null;
    }

    @Override
    public long getAcceptedPushes() {
        return ledger().accepted();
    }

    @Override
    public long getDeliveredPushes() {
        return ledger().delivered();
    }

    @Override
    public long getQueuedPushes() {
        return ledger().queued();
    }

    @Override
    public long getQueuedBytes() {
        return ledger().queuedBytes();
    }

    @Override
    public long getDroppedPushes() {
        return ledger().dropped().values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public Map<String, Long> getDroppedPushesByReason() {
        Map<String, Long> byReason = new TreeMap<>();
        ledger().dropped().forEach((reason, number) -> byReason.put(reason.label(), number));
        return byReason;
    }

    @Override
    public long getFailedAttempts() {
        return pipeline == null ? 0 : pipeline.failedAttempts();
    }

    @Override
    public long getFailedHeartbeats() {
        return pipeline == null ? 0 : pipeline.failedHeartbeats();
    }

    @Override
    public List<String> getWarnings() {
        return pipeline == null ? passiveWarnings : pipeline.warnings();
    }

    private Ledger ledger() {
        if (pipeline != null) {
            return pipeline.ledger();
        }
        long dropped = passiveDrops.sum();
        return new Ledger(dropped, 0, 0, 0, dropped == 0 ? Map.of() : Map.of(DropReason.PASSIVE, dropped));
    }
}
