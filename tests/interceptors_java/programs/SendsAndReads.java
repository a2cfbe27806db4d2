import java.time.Duration;
import java.util.Collections;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** An application that knows nothing of interceptors. Arguments: bootstrap servers, topic, records. */
public class SendsAndReads {
    private static final byte[] TOO_LARGE = new byte[2_000_000];

    public static void main(String[] arguments) {
        String topic = arguments[1];
        int records = Integer.parseInt(arguments[2]);
        AtomicLong failed = new AtomicLong();
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[0]);
        settings.put("client.id", "orders");
        settings.put("key.serializer", "org.apache.kafka.common.serialization.IntegerSerializer");
        settings.put("value.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer");
        settings.put("key.deserializer", "org.apache.kafka.common.serialization.IntegerDeserializer");
        settings.put("value.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer");
        settings.put("group.id", "billing");
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", "false");
        try (KafkaProducer<Integer, byte[]> producer = new KafkaProducer<>(settings)) {
            for (int number = 0; number < records; number++) {
                producer.send(new ProducerRecord<>(topic, number % 100, new byte[10]));
            }
            producer.send(new ProducerRecord<>(topic, 0, TOO_LARGE), (metadata, error) -> failed.incrementAndGet());
        }
        long read = 0;
        try (KafkaConsumer<Integer, byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.subscribe(Collections.singleton(topic));
            while (read < records) {
                ConsumerRecords<Integer, byte[]> some = consumer.poll(Duration.ofSeconds(1));
                read += some.count();
            }
            consumer.commitSync();
        }
        System.out.println(records + " " + failed.get() + " " + read);
    }
}
