import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
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
    private static final int PAUSE_MS = 5;

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
        CompletableFuture<Long> produced = new CompletableFuture<>();
        // Until the number of records is known it consumes beside producing.
        CompletableFuture<Long> consumed = client.records > 0
            ? produced.thenApply(wanted -> client.consume(produced))
            : CompletableFuture.supplyAsync(() -> client.consume(produced));
        for (String way : arguments[4].split(",")) {
            client.produce(way.split(":"));
        }
        produced.complete(client.acknowledged.get() + client.unconfirmed);
        System.out.printf(
            "{\"acknowledged\": %d, \"unconfirmed\": %d, \"consumed\": %d}%n",
            client.acknowledged.get(), client.unconfirmed, consumed.join());
    }

    private static int firstOfInput() {
        try {
            return System.in.read();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private Properties common() {
        Properties properties = new Properties();
        String more = System.getenv("CLIENT_PROPERTIES");
        if (more != null) {
            try (Reader in = Files.newBufferedReader(Path.of(more))) {
                properties.load(in);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
        properties.putAll(Map.of("bootstrap.servers", bootstrap, "client.id", clientId));
        return properties;
    }

    private void produce(String[] way) throws InterruptedException {
        CompletableFuture<Integer> end = CompletableFuture.supplyAsync(Client::firstOfInput);
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
            for (int number = 0; records > 0 ? number < records : !end.isDone(); number++) {
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
                    Thread.sleep(PAUSE_MS);
                }
            }
            if (transactionalId != null) {
                producer.commitTransaction();
            }
        }
    }

    private long consume(CompletableFuture<Long> wanted) {
        Properties properties = common();
        properties.putAll(Map.of(
            "group.id", clientId, "auto.offset.reset", "earliest",
            "isolation.level", transactionalId == null ? "read_uncommitted" : "read_committed"));
        Set<String> places = new HashSet<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(topic));
            while (places.size() < wanted.getNow(Long.MAX_VALUE)) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                    places.add(record.partition() + ":" + record.offset());
                }
            }
        }
        return places.size();
    }
}
