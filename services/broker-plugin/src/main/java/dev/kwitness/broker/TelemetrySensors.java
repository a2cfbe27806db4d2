package dev.kwitness.broker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;

/**
 * What the broker itself counts of client telemetry: the sensors of its group {@code client-metrics}.
 *
 * <p>Kafka 3.8 and later make them: some for the broker, some for each instance that asked for a subscription, and take
 * these away when they forget the instance. What an instance counted is kept in the totals then. Called from the
 * broker's threads, which never wait for a reader; one thread reads.
 */
final class TelemetrySensors {
    /** Instances that are listed one by one. */
    static final int LISTED = 100;

    private static final String GROUP = "client-metrics";
    private static final String INSTANCE = "client_instance_id";
    private static final String INSTANCES = "instance-count";
    private static final String UNKNOWN_SUBSCRIPTION = "unknown-subscription-request-count";
    private static final String EXPORT_TIME = "plugin-export-time-max";

    /** What is counted of an instance, by the name of its metric. */
    private enum Kind {
        THROTTLED("throttle-count"), PLUGIN_ERRORS("plugin-error-count"), EXPORTED("plugin-export-count");

        private final String metric;

        Kind(String metric) {
            this.metric = metric;
        }
    }

    private final Map<String, Map<String, KafkaMetric>> byInstance = new ConcurrentHashMap<>();
    private final Map<String, KafkaMetric> ofBroker = new ConcurrentHashMap<>();
    private final Map<Kind, LongAdder> departed = new EnumMap<>(Kind.class);
    /** What was last read: a total never falls, whatever departs between two looks. */
    private final Map<Kind, Long> shown = new EnumMap<>(Kind.class);

    TelemetrySensors() {
        for (Kind kind : Kind.values()) {
            departed.put(kind, new LongAdder());
            shown.put(kind, 0L);
        }
    }

    static boolean isOne(MetricName name) {
        return name.group().equals(GROUP);
    }

    void add(KafkaMetric metric) {
        MetricName name = metric.metricName();
        String instance = name.tags().get(INSTANCE);
        if (instance != null) {
            byInstance.compute(instance, (id, known) -> {
                Map<String, KafkaMetric> sensors = known == null ? new ConcurrentHashMap<>() : known;
                sensors.put(name.name(), metric);
                return sensors;
            });
        } else {
            ofBroker.put(name.name(), metric);
        }
    }

    void remove(KafkaMetric metric) {
        MetricName name = metric.metricName();
        String instance = name.tags().get(INSTANCE);
        if (instance == null) {
            ofBroker.remove(name.name());
            return;
        }
        KafkaMetric[] gone = new KafkaMetric[1];
        byInstance.computeIfPresent(instance, (id, sensors) -> {
            gone[0] = sensors.remove(name.name());
            return sensors.isEmpty() ? null : sensors;
        });
        for (Kind kind : Kind.values()) {
            if (gone[0] != null && kind.metric.equals(name.name())) {
                departed.get(kind).add(number(gone[0]));
            }
        }
    }

    /** Instances that asked for a subscription and are remembered by the broker. */
    Collection<String> asking() {
        return new TreeSet<>(byInstance.keySet());
    }

    /** Writes the totals and the instances with most that went wrong; nothing on a broker that has no such sensors. */
    void write(Json object) {
        if (ofBroker.isEmpty() && byInstance.isEmpty()) {
            return;
        }
        // Before the instances are read: one that departs meanwhile counts in neither, and never twice.
        Map<Kind, Long> totals = new EnumMap<>(Kind.class);
        departed.forEach((kind, number) -> totals.put(kind, number.sum()));
        List<Instance> failing = new ArrayList<>();
        long slowest = 0;
        for (Map.Entry<String, Map<String, KafkaMetric>> entry : byInstance.entrySet()) {
            Instance instance = new Instance(entry.getKey(), entry.getValue());
            instance.counts.forEach((kind, number) -> totals.merge(kind, number, Long::sum));
            if (instance.failures() > 0) {
                failing.add(instance);
            }
            slowest = Math.max(slowest, number(entry.getValue().get(EXPORT_TIME)));
        }
        totals.forEach((kind, number) -> shown.merge(kind, number, Math::max));
        failing.sort(Comparator.comparingLong(Instance::failures).reversed().thenComparing(one -> one.id));
        long slowestExport = slowest;
        object.putObject(Contract.KEY_SENSORS, sensors -> {
            KafkaMetric instances = ofBroker.get(INSTANCES);
            sensors.put(Contract.KEY_INSTANCES, instances == null ? byInstance.size() : number(instances))
                .put(Contract.KEY_THROTTLED, shown.get(Kind.THROTTLED))
                .put(Contract.KEY_UNKNOWN_SUBSCRIPTION, number(ofBroker.get(UNKNOWN_SUBSCRIPTION)))
                .put(Contract.KEY_PLUGIN_ERRORS, shown.get(Kind.PLUGIN_ERRORS))
                .put(Contract.KEY_EXPORTED, shown.get(Kind.EXPORTED))
                .put(Contract.KEY_SLOWEST_EXPORT_MS, slowestExport)
                .putObjects(Contract.KEY_WORST, failing.subList(0, Math.min(LISTED, failing.size())));
        });
    }

    /** A whole number that is not negative; 0 of a metric that is not there, has no value yet, or fails. */
    static long number(KafkaMetric metric) {
        try {
            Object value = metric == null ? null : metric.metricValue();
            return value instanceof Number ? Math.max(0, ((Number) value).longValue()) : 0;
        } catch (RuntimeException broken) {
            return 0;
        }
    }

    /** One instance at the moment of a look. */
    private static final class Instance implements Json.Body {
        private final String id;
        private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);

        Instance(String id, Map<String, KafkaMetric> sensors) {
            this.id = id;
            for (Kind kind : Kind.values()) {
                counts.put(kind, number(sensors.get(kind.metric)));
            }
        }

        long failures() {
            return counts.get(Kind.THROTTLED) + counts.get(Kind.PLUGIN_ERRORS);
        }

        @Override
        public void write(Json object) {
            object.put(Contract.KEY_CLIENT_INSTANCE_ID, id)
                .put(Contract.KEY_THROTTLED, counts.get(Kind.THROTTLED))
                .put(Contract.KEY_PLUGIN_ERRORS, counts.get(Kind.PLUGIN_ERRORS))
                .put(Contract.KEY_EXPORTED, counts.get(Kind.EXPORTED));
        }
    }
}
