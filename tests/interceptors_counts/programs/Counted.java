import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** An application on kafka-clients that keeps a journal: see README.md. */
public final class Counted {
    private static final int PARTITIONS = 3;
    private static final int TRANSACTIONS = 6;
    private static final int TOO_LATE = 200;
    private static final int WHILE_STOPPED = 1_000;
    private static final Duration A_MOMENT = Duration.ofMillis(10);

    private final BufferedReader answers = new BufferedReader(new InputStreamReader(System.in));
    private final String bootstrap;
    private final String saslBootstrap;
    private final String prefix;
    private final int records;
    private final PrintWriter journal;

    private Counted(String[] arguments) throws IOException {
        bootstrap = arguments[0];
        saslBootstrap = arguments[1];
        prefix = arguments[2];
        records = Integer.parseInt(arguments[3]);
        BufferedWriter file = Files.newBufferedWriter(Path.of(arguments[4]));
        journal = new PrintWriter(file);
    }

    public static void main(String[] arguments) throws Exception {
        Counted counted = new Counted(arguments);
        if (counted.records == 0) {
            counted.produceUntilKilled();
        }
        int inTransactions = counted.records * 4 / 10;
        int others = counted.records * 6 / 10;
        try (Sending steady = counted.new Sending(
                "steady", Map.of("enable.idempotence", true, "request.timeout.ms", 1_000))) {
            counted.produceAlsoWhileTheBrokerIsStopped(steady, others);
            counted.produceWhatIsRefused();
            counted.produceTransactions(inTransactions);
            counted.consumeWithTwo(steady, others);
        }
        counted.read("auditor", counted.prefix + "-audited", PARTITIONS);
        counted.read("compacted", "compacted", 1);
        counted.journal.close();
    }

    private void produceAlsoWhileTheBrokerIsStopped(Sending steady, int count) throws Exception {
        Map<String, Object> hasty = Map.of(
            "enable.idempotence", false, "linger.ms", 0, "request.timeout.ms", 1_000, "delivery.timeout.ms", 2_000);
        try (Sending hurried = new Sending("hurried", hasty)) {
            steady.send("orders", count / 2, 100);
            hurried.producer.partitionsFor(prefix + "-hurried");
            steady.producer.flush();
            ask("stop");
            steady.send("orders", WHILE_STOPPED, 100);
            for (int number = 0; number < TOO_LATE; number++) {
                hurried.send("hurried", "too late", 10);
            }
            while (hurried.failed.get() < TOO_LATE) {
                Thread.sleep(A_MOMENT.toMillis());
            }
            ask("continue");
            steady.send("orders", count - count / 2 - WHILE_STOPPED, 100);
            steady.producer.flush();
        }
    }

    private void produceWhatIsRefused() {
        Map<String, Object> small = Map.of("max.request.size", 100_000, "linger.ms", 0, "enable.idempotence", false);
        try (Sending refused = new Sending("refused", small)) {
            for (int number = 0; number < 100; number++) {
                refused.send("small", "key " + number, 10);
                if (number % 10 == 0) {
                    refused.producer.flush();
                    refused.send("small", null, 5_000);
                    refused.send("small", null, 200_000);
                    refused.producer.flush();
                }
            }
            for (int number = 0; number < 3; number++) {
                refused.send("keyed", null, 10);
                refused.producer.flush();
            }
        }
        try (Sending several = new Sending("refused", Map.of("linger.ms", 1_000))) {
            for (int number = 0; number < 10; number++) {
                several.send("keyed", number % 3 == 0 ? "key" : null, 10);
            }
        }
        String module = "org.apache.kafka.common.security.plain.PlainLoginModule";
        Map<String, Object> alice = Map.of(
            "bootstrap.servers", saslBootstrap, "security.protocol", "SASL_PLAINTEXT", "sasl.mechanism", "PLAIN",
            "sasl.jaas.config", module + " required username=\"alice\" password=\"alice-secret\";");
        try (Sending forbidden = new Sending("forbidden", alice)) {
            for (int number = 0; number < 3; number++) {
                forbidden.send("forbidden", null, 10);
            }
        }
    }

    private void produceTransactions(int count) {
        // What the first transaction gives up is still waiting then; a later one's may be on its way.
        Map<String, Object> slow = Map.of("transactional.id", prefix + "-audit", "linger.ms", 60_000);
        try (Sending transactional = new Sending("transactional", slow)) {
            transactional.producer.initTransactions();
            for (int number = 0; number < TRANSACTIONS; number++) {
                transactional.producer.beginTransaction();
                transactional.send("audited", count / TRANSACTIONS, 100);
                if (number % 2 == 1) {
                    transactional.producer.commitTransaction();
                    continue;
                }
                transactional.producer.flush();
                if (number == 0) {
                    transactional.send("audited", 100, 10);
                }
                transactional.producer.abortTransaction();
            }
        }
    }

    private void consumeWithTwo(Sending steady, int count) throws Exception {
        String topic = prefix + "-orders";
        Map<Integer, Long> reached = new HashMap<>();
        try (Reading second = new Reading("second", "billing", Map.of())) {
            try (Reading first = new Reading("first", "billing", Map.of())) {
                first.consumer.subscribe(Set.of(topic), first);
                take(reached, count / 10, first);
                second.consumer.subscribe(Set.of(topic), second);
                while (second.consumer.assignment().isEmpty()) {
                    takeTurns(reached, first, second);
                }
                take(reached, count, first, second);
                first.commit();
                second.commit();
                try (Reading outsider = new Reading("outsider", "billing", Map.of())) {
                    TopicPartition place = new TopicPartition(topic, 0);
                    outsider.consumer.assign(Set.of(place));
                    outsider.next.put(place, 7L);
                    outsider.commit();
                    outsider.commitLater();
                    while (outsider.answers == 0) {
                        outsider.consumer.poll(A_MOMENT);
                    }
                }
            }
            steady.send("orders", 100, 10);
            steady.producer.flush();
            take(reached, count + 100, second);
            second.commit();
        }
    }

    /** Take turns until so many records were read of the topic, which has no gaps. */
    private static void take(Map<Integer, Long> reached, long until, Reading... readers) {
        while (reached.values().stream().mapToLong(Long::longValue).sum() < until) {
            takeTurns(reached, readers);
        }
    }

    private static void takeTurns(Map<Integer, Long> reached, Reading... readers) {
        for (Reading reader : readers) {
            if (reader.take() > 0) {
                reader.commitLater();
            }
            // Before another one gets the partitions: where all of one was read, nobody reads of it again.
            reader.next.forEach((place, offset) -> reached.merge(place.partition(), offset, Math::max));
        }
    }

    /** Read all that is there. */
    private void read(String clientId, String topic, int partitions) {
        Map<String, Object> committed = Map.of("isolation.level", "read_committed");
        try (Reading reading = new Reading(clientId, clientId, committed)) {
            List<TopicPartition> places = new ArrayList<>();
            for (int number = 0; number < partitions; number++) {
                places.add(new TopicPartition(topic, number));
            }
            reading.consumer.assign(places);
            reading.consumer.seekToBeginning(places);
            Map<TopicPartition, Long> ends = reading.consumer.endOffsets(places);
            while (places.stream().anyMatch(place -> reading.consumer.position(place) < ends.get(place))) {
                reading.take();
            }
            reading.commit();
        }
    }

    private void produceUntilKilled() throws InterruptedException {
        Sending killed = new Sending("killed", Map.of("enable.idempotence", true, "linger.ms", 0));
        while (true) {
            killed.send("killed", "key", 100);
            Thread.sleep(5);
        }
    }

    private synchronized void note(String word, String clientId, String topic, Object... rest) {
        journal.print(System.currentTimeMillis() + " " + word + " " + clientId + " " + topic);
        for (Object one : rest) {
            journal.print(" " + one);
        }
        journal.print("\n");
        if (records == 0) {
            journal.flush();
        }
    }

    private void ask(String what) throws IOException {
        System.out.println(what);
        if (answers.readLine() == null) {
            throw new IOException("nobody does what is asked for");
        }
    }

    private Map<String, Object> common(String clientId, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", bootstrap, "client.id", clientId));
        settings.putAll(more);
        return settings;
    }

    /** A producer, and the journal of what it does. */
    private final class Sending implements AutoCloseable {
        final String clientId;
        final AtomicInteger failed = new AtomicInteger();
        final KafkaProducer<String, byte[]> producer;

        Sending(String clientId, Map<String, Object> settings) {
            this.clientId = clientId;
            producer = new KafkaProducer<>(
                common(clientId, settings), new StringSerializer(), new ByteArraySerializer());
        }

        void send(String suffix, String key, int size) {
            String topic = prefix + "-" + suffix;
            note("sent", clientId, topic);
            producer.send(new ProducerRecord<>(topic, key, new byte[size]), new Callback() {
                @Override
                public void onCompletion(RecordMetadata metadata, Exception error) {
                    if (error == null) {
                        note("acknowledged", clientId, topic, metadata.partition(), metadata.offset());
                    } else {
                        note("failed", clientId, topic, error.getClass().getSimpleName());
                        failed.incrementAndGet();
                    }
                }
            });
        }

        void send(String suffix, int count, int size) {
            for (int number = 0; number < count; number++) {
                send(suffix, "key " + number % 100, size);
            }
        }

        @Override
        public void close() {
            producer.close();
        }
    }

    /** A consumer, and the journal of what it does. */
    private final class Reading implements AutoCloseable, ConsumerRebalanceListener {
        final String clientId;
        final Map<TopicPartition, Long> next = new HashMap<>();
        final KafkaConsumer<String, byte[]> consumer;
        int answers;

        Reading(String clientId, String group, Map<String, Object> more) {
            this.clientId = clientId;
            Map<String, Object> settings = common(clientId, Map.of(
                "group.id", prefix + "-" + group, "auto.offset.reset", "earliest", "enable.auto.commit", false,
                "session.timeout.ms", 10_000, "heartbeat.interval.ms", 200, "max.poll.records", 200));
            settings.putAll(more);
            consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new ByteArrayDeserializer());
        }

        int take() {
            int taken = 0;
            for (ConsumerRecord<String, byte[]> record : consumer.poll(A_MOMENT)) {
                note("consumed", clientId, record.topic(), record.partition(), record.offset());
                next.put(new TopicPartition(record.topic(), record.partition()), record.offset() + 1);
                taken++;
            }
            return taken;
        }

        void commit() {
            Map<TopicPartition, OffsetAndMetadata> offsets = offsets();
            try {
                consumer.commitSync(offsets);
                told(offsets, null);
            } catch (KafkaException error) {
                told(offsets, error);
            }
        }

        void commitLater() {
            consumer.commitAsync(offsets(), (offsets, error) -> {
                answers++;
                told(offsets, error);
            });
        }

        private Map<TopicPartition, OffsetAndMetadata> offsets() {
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            next.forEach((place, offset) -> offsets.put(place, new OffsetAndMetadata(offset)));
            return offsets;
        }

        private void told(Map<TopicPartition, OffsetAndMetadata> offsets, Exception error) {
            offsets.forEach((place, offset) -> {
                if (error == null) {
                    note("committed", clientId, place.topic(), place.partition(), offset.offset());
                } else {
                    note("uncommitted", clientId, place.topic(), error.getClass().getSimpleName());
                }
            });
        }

        /** Commit what was read of what goes to another one. */
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> places) {
            if (!next.isEmpty()) {
                commit();
            }
            next.keySet().removeAll(places);
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> places) {
        }

        @Override
        public void close() {
            consumer.close();
        }
    }
}
