import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Produces and consumes as README.md beside this folder says, by Kafka's own clients of whatever version is on the class
 * path.
 */
public final class Client {
    private static final int RECORDS_OF_A_TRANSACTION = 20;

    private final String bootstrap;
    private final String topic;
    private final String clientId;
    private final int records;
    private final String transactionalId;
    private final AtomicLong acknowledged = new AtomicLong();
    private long unconfirmed;

    private Client(String[] arguments) {
        bootstrap = arguments[0];
        topic = arguments[1];
        clientId = arguments[2];
        records = Integer.parseInt(arguments[3]);
        transactionalId = arguments.length > 5 ? arguments[5] : null;
    }

    public static void main(String[] arguments) throws Exception {
        Client client = new Client(arguments);
        for (String way : arguments[4].split(",")) {
            client.produce(way.split(":"));
        }
        long consumed = client.consume(client.acknowledged.get() + client.unconfirmed);
        System.out.printf(
            "{\"acknowledged\": %d, \"unconfirmed\": %d, \"consumed\": %d}%n",
            client.acknowledged.get(), client.unconfirmed, consumed);
    }

    private Properties common() {
        Properties properties = new Properties();
        properties.putAll(Map.of("bootstrap.servers", bootstrap, "client.id", clientId));
        return properties;
    }

    private void produce(String[] way) throws IOException, InterruptedException {
        Properties properties = common();
        properties.putAll(Map.of(
            "compression.type", way[0], "acks", way[1], "enable.idempotence", way[1].equals("all"), "linger.ms", 5));
        if (transactionalId != null) {
            properties.put("transactional.id", transactionalId);
        }
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
            if (transactionalId != null) {
                producer.initTransactions();
            }
            for (int number = 0; records > 0 ? number < records : System.in.available() == 0; number++) {
                if (transactionalId != null && number % RECORDS_OF_A_TRANSACTION == 0) {
                    if (number > 0) {
                        producer.commitTransaction();
                    }
                    producer.beginTransaction();
                }
                String text = (way[0] + " " + way[1] + " " + number + " ").repeat(10);
                producer.send(new ProducerRecord<>(topic, Integer.toString(number), text), (done, error) -> {
                    if (error != null) {
                        System.err.println(error);
                    } else if (!way[1].equals("0")) {
                        acknowledged.incrementAndGet();
                    }
                });
                unconfirmed += way[1].equals("0") ? 1 : 0;
                if (records == 0) {
                    Thread.sleep(5);
                }
            }
            if (transactionalId != null) {
                producer.commitTransaction();
            }
        }
    }

    private long consume(long wanted) {
        Properties properties = common();
        properties.putAll(Map.of(
            "group.id", clientId, "auto.offset.reset", "earliest",
            "isolation.level", transactionalId == null ? "read_uncommitted" : "read_committed"));
        Set<String> places = new HashSet<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (places.size() < wanted) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                    places.add(record.partition() + ":" + record.offset());
                }
            }
        }
        return places.size();
    }
}
