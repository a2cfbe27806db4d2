import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.stats.CumulativeSum;
import org.apache.kafka.common.metrics.stats.WindowedCount;
import org.apache.kafka.common.telemetry.internals.MetricNamingStrategy;
import org.apache.kafka.common.telemetry.internals.TelemetryMetricNamingConvention;

/**
 * Prints name and kind (sum, gauge, value) of every metric that clients of each kind keep, as they would push it, and
 * keeps the last ones running until its input ends.
 */
final class ListClientMetrics {
    private static final String TOPIC = "list-client-metrics";
    private static final MetricNamingStrategy<MetricName> NAMES =
        TelemetryMetricNamingConvention.getClientTelemetryMetricNamingStrategy("org.apache.kafka");

    private ListClientMetrics() {
    }

    public static void main(String[] arguments) throws Exception {
        String text = "org.apache.kafka.common.serialization.String";
        Properties producing = properties(arguments[0]);
        producing.put("key.serializer", text + "Serializer");
        producing.put("value.serializer", text + "Serializer");
        producing.put("transactional.id", TOPIC);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(producing)) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(TOPIC, "key", "value")).get();
            producer.commitTransaction();
            print(producer.metrics());
        }
        for (String protocol : List.of("classic", "consumer")) {
            Properties consuming = properties(arguments[0]);
            consuming.put("group.id", TOPIC + protocol);
            consuming.put("group.protocol", protocol);
            consuming.put("auto.offset.reset", "earliest");
            consuming.put("key.deserializer", text + "Deserializer");
            consuming.put("value.deserializer", text + "Deserializer");
            try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(consuming)) {
                consumer.subscribe(List.of(TOPIC));
                for (int round = 0; round < 60 && consumer.poll(Duration.ofMillis(500)).isEmpty(); round++) {
                    continue;
                }
                consumer.commitSync();
                consumer.poll(Duration.ofMillis(200));
                print(consumer.metrics());
            }
        }
        Properties sharing = properties(arguments[0]);
        sharing.put("group.id", TOPIC + "-share");
        Properties administering = properties(arguments[0]);
        // Alone among the clients, those of administrators push only when they are told to.
        administering.put("enable.metrics.push", "true");
        sharing.put("key.deserializer", text + "Deserializer");
        sharing.put("value.deserializer", text + "Deserializer");
        producing.remove("transactional.id");
        try (KafkaShareConsumer<String, String> consumer = new KafkaShareConsumer<>(sharing);
             KafkaProducer<String, String> producer = new KafkaProducer<>(producing);
             Admin admin = Admin.create(administering)) {
            consumer.subscribe(List.of(TOPIC));
            ConsumerRecords<String, String> taken = ConsumerRecords.empty();
            // A share group begins where a topic ends when its first member comes.
            for (int round = 0; round < 60 && taken.isEmpty(); round++) {
                producer.send(new ProducerRecord<>(TOPIC, "key", "value")).get();
                taken = consumer.poll(Duration.ofMillis(500));
            }
            if (taken.isEmpty()) {
                throw new IllegalStateException("the share group gave no record");
            }
            consumer.commitSync();
            print(consumer.metrics());
            admin.describeCluster().nodes().get();
            print(admin.metrics());
            System.out.println("listed");
            while (System.in.read() >= 0) {
                continue;
            }
        }
    }

    private static Properties properties(String servers) {
        Properties made = new Properties();
        made.put("bootstrap.servers", servers);
        return made;
    }

    private static void print(Map<MetricName, ? extends Metric> metrics) {
        metrics.forEach((name, metric) -> System.out.println(NAMES.metricKey(name).name() + "\t" + kind(metric)));
    }

    private static String kind(Metric metric) {
        try {
            Object measured = ((KafkaMetric) metric).measurable();
            return measured instanceof CumulativeSum || measured instanceof WindowedCount ? "sum" : "gauge";
        } catch (IllegalStateException notMeasurable) {
            return metric.metricValue() instanceof Number ? "value" : "text";
        }
    }
}
