import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.stats.CumulativeSum;
import org.apache.kafka.common.metrics.stats.WindowedCount;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.telemetry.internals.MetricNamingStrategy;
import org.apache.kafka.common.telemetry.internals.TelemetryMetricNamingConvention;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.EmitStrategy;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.SessionWindows;
import org.apache.kafka.streams.kstream.Suppressed;
import org.apache.kafka.streams.kstream.TimeWindows;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/**
 * Prints name and kind of every metric of Kafka Streams applications of both group protocols, as they would push it, and
 * keeps them running until its input ends.
 */
final class ListStreamsMetrics {
    private static final String TOPIC = "list-streams-metrics";
    private static final String TABLE = TOPIC + "-table";
    private static final List<String> LATEST = List.of("bytes-consumed-total", "process-total", "record-e2e-latency-avg",
        "remove-rate", "suppression-emit-total", "window-aggregate-final-emit-total");
    private static final List<String> PROTOCOLS = List.of("classic", "streams");
    private static final MetricNamingStrategy<MetricName> NAMES =
        TelemetryMetricNamingConvention.getClientTelemetryMetricNamingStrategy("org.apache.kafka");

    private ListStreamsMetrics() {
    }

    public static void main(String[] arguments) throws Exception {
        Properties common = new Properties();
        common.put("bootstrap.servers", arguments[0]);
        try (Admin admin = Admin.create(common)) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1), new NewTopic(TABLE, 1, (short) 1))).all().get();
        }
        String text = "org.apache.kafka.common.serialization.StringSerializer";
        Properties producing = new Properties();
        producing.putAll(common);
        producing.put("key.serializer", text);
        producing.put("value.serializer", text);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(producing)) {
            for (String topic : List.of(TOPIC, TABLE)) {
                producer.send(new ProducerRecord<>(topic, "key", "value")).get();
            }
        }
        List<KafkaStreams> applications = new ArrayList<>();
        for (String protocol : PROTOCOLS) {
            for (String replica : List.of("1", "2")) {
                Properties application = new Properties();
                application.putAll(common);
                application.put("application.id", TOPIC + "-" + protocol);
                application.put("client.id", TOPIC + "-" + protocol + "-" + replica);
                application.put("group.protocol", protocol);
                application.put("auto.offset.reset", "earliest");
                application.put("num.standby.replicas", "1");
                application.put("metrics.recording.level", "TRACE");
                application.put("default.key.serde", Serdes.StringSerde.class.getName());
                application.put("default.value.serde", Serdes.StringSerde.class.getName());
                application.put("state.dir", arguments[1] + "/" + protocol + "-" + replica);
                applications.add(new KafkaStreams(topology(), application));
            }
        }
        applications.forEach(KafkaStreams::start);
        Map<String, Map<MetricName, Metric>> seen = new HashMap<>();
        for (int round = 0; round < 240 && !complete(seen); round++) {
            Thread.sleep(500);
            for (int number = 0; number < applications.size(); number++) {
                seen.computeIfAbsent(PROTOCOLS.get(number / 2), protocol -> new HashMap<>())
                    .putAll(applications.get(number).metrics());
            }
        }
        for (Map<MetricName, Metric> kept : seen.values()) {
            kept.keySet().removeIf(name -> !name.group().startsWith("stream-"));
            kept.forEach((name, metric) -> System.out.println(NAMES.metricKey(name).name() + "\t" + kind(metric)));
        }
        System.out.println("listed");
        while (System.in.read() >= 0) {
            continue;
        }
        // Closing them takes seconds each, for all that their stores keep, and lists nothing more.
        Runtime.getRuntime().halt(0);
    }

    private static Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> records = builder.stream(TOPIC);
        builder.table(TABLE, Materialized.as("on-disk"));
        KTable<String, String> latest = records.toTable(Materialized.<String, String>as(
            Stores.inMemoryKeyValueStore("in-memory")).withKeySerde(Serdes.String()).withValueSerde(Serdes.String()));
        latest.toStream().to(TABLE);
        TimeWindows seconds = TimeWindows.ofSizeAndGrace(Duration.ofSeconds(1), Duration.ZERO);
        Materialized<String, Long, WindowStore<Bytes, byte[]>> counted =
            Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("windows")
                .withKeySerde(Serdes.String()).withValueSerde(Serdes.Long());
        records.groupByKey().windowedBy(seconds).count(counted)
            .suppress(Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded()));
        records.groupByKey().windowedBy(SessionWindows.ofInactivityGapWithNoGrace(Duration.ofSeconds(1))).count();
        records.groupByKey().windowedBy(seconds).emitStrategy(EmitStrategy.onWindowClose()).count();
        builder.addStateStore(Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore("own"), Serdes.String(), Serdes.String()).withCachingEnabled());
        records.process(() -> new Processor<String, String, String, String>() {
            private KeyValueStore<String, String> own;

            @Override
            public void init(ProcessorContext<String, String> context) {
                own = context.getStateStore("own");
                context.schedule(Duration.ofMillis(100), PunctuationType.WALL_CLOCK_TIME, now -> own.all().close());
            }

            @Override
            public void process(Record<String, String> record) {
                own.put(record.key(), record.value());
            }
        }, "own");
        return builder.build();
    }

    /** Whether applications of each protocol had tasks of each kind and records, with which their metrics come. */
    private static boolean complete(Map<String, Map<MetricName, Metric>> seen) {
        return seen.keySet().containsAll(PROTOCOLS) && seen.entrySet().stream().allMatch(kept -> {
            Set<String> names = kept.getValue().keySet().stream().map(MetricName::name).collect(Collectors.toSet());
            // Groups of the streams protocol have no standby tasks unless the group's configuration at the broker says so.
            return names.containsAll(LATEST) && (kept.getKey().equals("streams") || names.contains("update-total"));
        });
    }

    private static String kind(Metric metric) {
        if (((KafkaMetric) metric).isMeasurable()) {
            Object measured = ((KafkaMetric) metric).measurable();
            return measured instanceof CumulativeSum || measured instanceof WindowedCount ? "sum" : "gauge";
        }
        return metric.metricValue() instanceof Number ? "value" : "text";
    }
}
