import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.stats.CumulativeSum;
import org.apache.kafka.common.metrics.stats.WindowedCount;

/** Prints name and kind (sum, gauge, value) of every metric of producers and consumers, as telemetry names them. */
final class ListClientMetrics {
    private static final String TOPIC = "list-client-metrics";
    private static final String SUFFIX = "-metrics";

    private ListClientMetrics() {
    }

    public static void main(String[] arguments) throws Exception {
        String text = "org.apache.kafka.common.serialization.String";
        Properties producing = new Properties();
        producing.put("bootstrap.servers", arguments[0]);
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
            Properties consuming = new Properties();
            consuming.put("bootstrap.servers", arguments[0]);
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
    }

    private static void print(Map<MetricName, ? extends Metric> metrics) {
        metrics.forEach((name, metric) -> {
            String group = name.group().endsWith(SUFFIX)
                ? name.group().substring(0, name.group().length() - SUFFIX.length())
                : name.group();
            String full = ("org.apache.kafka." + group + "." + name.name()).replace('-', '.');
            System.out.println(full + "\t" + kind(metric));
        });
    }

    private static String kind(Metric metric) {
        try {
            Object measured = ((KafkaMetric) metric).measurable();
            return measured instanceof CumulativeSum || measured instanceof WindowedCount ? "sum" : "gauge";
        } catch (IllegalStateException notMeasurable) {
            return "value";
        }
    }
}
