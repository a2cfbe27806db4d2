package dev.kwitness.broker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.apache.kafka.common.metrics.JmxReporter;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsContext;
import org.apache.kafka.common.metrics.MetricsReporter;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of the plugin, the same for both entry classes.
 *
 * <p>Kafka calls {@code configure}, {@code contextChange}, {@code init}, asks for the exporter, and at the end
 * {@code close}. Whatever is wrong, none of these throws: a broker with a broken plugin must start. A plugin that
 * cannot work is <em>passive</em>: it starts no thread and sends nothing. Brokers 3.7 to 4.1 then hide the telemetry
 * APIs from clients; later brokers cannot, so what clients push there is dropped and counted.
 */
abstract class PluginReporter implements MetricsReporter {
    private static final Logger LOG = LoggerFactory.getLogger(PluginReporter.class);
    private static final Set<PluginReporter> ACTIVE = ConcurrentHashMap.newKeySet();
    private static final String ENTRY_PACKAGE = "dev.kwitness.broker.";

    private final BrokerMetrics metrics = new BrokerMetrics();
    /** Pushes that came while passive. */
    private final LongAdder dropped = new LongAdder();
    private Map<String, Object> brokerProperties = Map.of();
    private Map<String, String> context = Map.of();
    private PluginConfig config;
    private volatile Pipeline pipeline;
    private PluginMBean bean;
    private List<String> warnings = List.of();
    private volatile boolean aside;

    @Override
    public final void configure(Map<String, ?> configs) {
        Map<String, Object> properties = new TreeMap<>();
        configs.forEach((key, value) -> {
            if (value != null) {
                properties.put(key, value);
            }
        });
        brokerProperties = properties;
        Object roles = properties.get("process.roles");
        if (roles != null && !list(roles).contains("broker")) {
            LOG.info("kwitness broker plugin stays passive: clients do not connect to a node that is only a {}",
                list(roles));
            return;
        }
        if (this instanceof KwitnessLegacyReporter && hasBothEntries()) {
            standAside();
            return;
        }
        try {
            config = PluginConfig.read(properties);
        } catch (InvalidConfiguration wrong) {
            warnings = List.of(Warning.INVALID_CONFIGURATION.word());
            LOG.error("kwitness broker plugin stays passive, no client metrics leave this broker: {}",
                wrong.getMessage());
        }
    }

    @Override
    public final void contextChange(MetricsContext metricsContext) {
        context = Map.copyOf(metricsContext.contextLabels());
    }

    @Override
    public final void init(List<KafkaMetric> existing) {
        existing.forEach(metrics::add);
        if (config != null && pipeline == null && anotherEntryIsActive()) {
            standAside();
        }
        if (aside) {
            return;
        }
        if (config != null && pipeline == null) {
            warnings = standingWarnings();
            pipeline = new Pipeline(config, brokerIdentity(), metrics, brokerProperties, warnings);
            pipeline.start();
            ACTIVE.add(this);
            LOG.info("kwitness broker plugin {} active: pushes and connection gauges of broker {} go to {}",
                BrokerIdentity.version(), brokerIdentity().brokerId(), config.url());
        }
        if (bean == null) {
            bean = new PluginMBean(pipeline, dropped, warnings);
            bean.register();
        }
    }

    @Override
    public final void metricChange(KafkaMetric metric) {
        metrics.add(metric);
    }

    @Override
    public final void metricRemoval(KafkaMetric metric) {
        metrics.remove(metric);
    }

    @Override
    public final void close() {
        if (bean != null) {
            bean.unregister();
            bean = null;
        }
        ACTIVE.remove(this);
        if (pipeline != null) {
            pipeline.close();
        }
    }

    /** Whether pushes and gauges are sent. */
    final boolean active() {
        return pipeline != null;
    }

    /** Take a push on a request handler thread; the interval is in milliseconds or unknown. */
    final void receive(AuthorizableRequestContext requestContext, ClientTelemetryPayload payload, int intervalMs) {
        Pipeline running = pipeline;
        if (aside) {
            return;
        }
        if (running == null) {
            dropped.increment();
        } else {
            running.receiver().receive(requestContext, payload, intervalMs);
        }
    }

    /** A broker that has both interfaces gives each push to both entry classes: one of them is enough. */
    private void standAside() {
        aside = true;
        config = null;
        LOG.warn("metric.reporters names both entry classes of the plugin; {} stays aside, so that no push is sent "
            + "twice. Remove it: Kafka 4.2 and later need {} alone", getClass().getName(),
            "KwitnessReporter");
    }

    private boolean hasBothEntries() {
        Object reporters = brokerProperties.get("metric.reporters");
        return reporters != null && list(reporters).containsAll(
            List.of(ENTRY_PACKAGE + "KwitnessReporter", ENTRY_PACKAGE + "KwitnessLegacyReporter"));
    }

    /** A process with a broker and a controller has two of one class, which are not meant. */
    private boolean anotherEntryIsActive() {
        return ACTIVE.stream().anyMatch(other -> other.getClass() != getClass());
    }

    private BrokerIdentity brokerIdentity() {
        String node = context.getOrDefault("kafka.node.id", context.get("kafka.broker.id"));
        if (node == null) {
            node = String.valueOf(brokerProperties.getOrDefault("node.id", brokerProperties.get("broker.id")));
        }
        return new BrokerIdentity(
            context.getOrDefault("kafka.cluster.id", "unknown"), node, System.currentTimeMillis(),
            AppInfoParser.getVersion(), BrokerIdentity.version());
    }

    private List<String> standingWarnings() {
        List<String> found = new ArrayList<>();
        if (!hasJmxReporter()) {
            found.add(Warning.JMX_REPORTER_MISSING.word());
            LOG.warn("metric.reporters names no {}, so this broker shows no metrics in JMX; add it before the plugin",
                JmxReporter.class.getName());
        }
        if (hasBothEntries()) {
            found.add(Warning.BOTH_ENTRY_CLASSES.word());
        }
        if (!BrokerAbilities.showsInstances()) {
            found.add(Warning.ASKING_UNAVAILABLE.word());
        }
        Set<String> unknown = PluginConfig.unknownKeys(brokerProperties);
        if (!unknown.isEmpty()) {
            found.add(Warning.UNKNOWN_CONFIGURATION.word());
            LOG.warn("The broker's properties hold keys the plugin does not know, perhaps misspelled: {}; it knows {}",
                unknown, PluginConfig.DEFINITION.names());
        }
        return found;
    }

    /** Kafka 3 adds JmxReporter by itself unless told not to; from 4.0 on the list alone counts. */
    private boolean hasJmxReporter() {
        boolean addedByKafka = BrokerAbilities.addsJmxReporter()
            && !"false".equals(String.valueOf(brokerProperties.get("auto.include.jmx.reporter")));
        Object reporters = brokerProperties.get("metric.reporters");
        return addedByKafka || reporters == null || list(reporters).contains(JmxReporter.class.getName());
    }

    private static List<String> list(Object value) {
        if (value instanceof Collection) {
            return ((Collection<?>) value).stream().map(String::valueOf).collect(Collectors.toList());
        }
        return Arrays.stream(value.toString().split(",")).map(String::trim).collect(Collectors.toList());
    }
}
