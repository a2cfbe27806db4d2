import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * An application that passes two records on, the second a tombstone: from topic to topic, with the headers that they
 * have. Between the last two it changes the value. Arguments: bootstrap servers, topics.
 */
public class Hops {
    private static final String BYTES = "org.apache.kafka.common.serialization.ByteArray";

    public static void main(String[] arguments) {
        String last = arguments[arguments.length - 1];
        try (KafkaProducer<Integer, byte[]> producer = new KafkaProducer<>(settings(arguments[0], "Integer"))) {
            for (int key = 0; key < 2; key++) {
                byte[] value = key == 0 ? "order".getBytes(StandardCharsets.UTF_8) : null;
                ProducerRecord<Integer, byte[]> record = new ProducerRecord<>(arguments[1], 0, key, value);
                record.headers().add("internal", new byte[] {1});
                producer.send(record);
            }
        }
        for (int hop = 1; hop < arguments.length - 1; hop++) {
            String next = arguments[hop + 1];
            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings(arguments[0], "ByteArray"))) {
                for (ConsumerRecord<byte[], byte[]> read : read(arguments[0], arguments[hop])) {
                    byte[] value = read.value() == null || !next.equals(last) ? read.value() : new byte[] {1};
                    producer.send(new ProducerRecord<>(next, 0, read.key(), value, read.headers()));
                }
            }
        }
        System.out.println(read(arguments[0], last).size());
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(String servers, String topic) {
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings(servers, "ByteArray"))) {
            consumer.subscribe(Collections.singleton(topic));
            while (found.size() < 2) {
                consumer.poll(Duration.ofSeconds(1)).forEach(found::add);
            }
        }
        return found;
    }

    private static Properties settings(String servers, String keys) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", servers);
        settings.put("client.id", "hops");
        settings.put("key.serializer", "org.apache.kafka.common.serialization." + keys + "Serializer");
        settings.put("value.serializer", BYTES + "Serializer");
        settings.put("key.deserializer", BYTES + "Deserializer");
        settings.put("value.deserializer", BYTES + "Deserializer");
        settings.put("group.id", "hops");
        settings.put("auto.offset.reset", "earliest");
        return settings;
    }
}
