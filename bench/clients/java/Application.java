import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Scanner;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.internals.ConsumerInterceptors;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.clients.producer.internals.ProducerInterceptors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/**
 * An application that works when it is told to. Arguments: bootstrap servers, topic to write, topic to read, bytes of a
 * value.
 *
 * <p>A line of the input is a kind of work and a number of records; the answer says the processor's time of the process
 * in seconds, and how long it took. The works {@code produce_hooks} and {@code consume_hooks} call the interceptors of
 * this application's own clients as those do, on one thread, and answer with the time of that thread alone.
 */
public final class Application {
    private static final int CHUNK = 500;
    private static final int KEYS = 10_000;
    /** Nothing is written to it: hooks alone are told of its records, one offset after the other. */
    private static final String TOLD = "told";

    private final String written;
    private final String read;
    private final byte[] value;
    private final String[] keys = new String[KEYS];
    private final byte[][] serialized = new byte[KEYS][];
    private final KafkaProducer<String, byte[]> producer;
    private final KafkaConsumer<String, byte[]> consumer;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private long offset;

    private Application(String[] arguments) {
        written = arguments[1];
        read = arguments[2];
        value = new byte[Integer.parseInt(arguments[3])];
        for (int number = 0; number < KEYS; number++) {
            keys[number] = String.format(Locale.ROOT, "customer-%07d", number);
            serialized[number] = keys[number].getBytes(StandardCharsets.UTF_8);
        }
        String serialization = "org.apache.kafka.common.serialization.";
        producer = new KafkaProducer<>(Map.of(
            "bootstrap.servers", arguments[0], "client.id", "bench",
            "key.serializer", serialization + "StringSerializer",
            "value.serializer", serialization + "ByteArraySerializer"));
        consumer = new KafkaConsumer<>(Map.of(
            "bootstrap.servers", arguments[0], "client.id", "bench", "group.id", "bench", "enable.auto.commit", "false",
            "key.deserializer", serialization + "StringDeserializer",
            "value.deserializer", serialization + "ByteArrayDeserializer"));
        consumer.assign(List.of(new TopicPartition(read, 0)));
    }

    /** Answer line by line until the input ends. */
    public static void main(String[] arguments) throws Exception {
        Application application = new Application(arguments);
        Scanner input = new Scanner(System.in, StandardCharsets.UTF_8);
        while (input.hasNext()) {
            System.out.println(application.does(input.next(), input.nextInt()));
        }
        application.producer.close();
        application.consumer.close();
    }

    private String does(String work, int records) throws Exception {
        if (work.endsWith("_hooks")) {
            long nanoseconds = work.startsWith("produce") ? produceHooks(records) : consumeHooks(records);
            return String.format(Locale.ROOT, "{\"cpu_s\": %.9f}", nanoseconds / 1e9);
        }
        long cpu = processor();
        long began = System.nanoTime();
        switch (work) {
            case "fill" -> produce(read, records);
            case "produce" -> produce(written, records);
            default -> consume(records);
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        return String.format(
            Locale.ROOT, "{\"cpu_s\": %.9f, \"seconds\": %.6f}", (processor() - cpu) / 1e9, seconds);
    }

    private void produce(String topic, int records) {
        for (int number = 0; number < records; number++) {
            producer.send(new ProducerRecord<>(topic, keys[number % KEYS], value));
        }
        producer.flush();
    }

    private void consume(int records) {
        consumer.seekToBeginning(consumer.assignment());
        int got = 0;
        while (got < records) {
            got += consumer.poll(Duration.ofSeconds(1)).count();
        }
    }

    private long produceHooks(int records) throws ReflectiveOperationException {
        ProducerInterceptors<String, byte[]> hooks = field(producer, KafkaProducer.class, "interceptors");
        BiConsumer<byte[], byte[]> appended = field(
            null, Class.forName("org.apache.kafka.clients.producer.internals.RecordAccumulator"), "kwitness$appended");
        TopicPartition place = new TopicPartition(TOLD, 0);
        List<ProducerRecord<String, byte[]>> sent = new ArrayList<>();
        List<RecordMetadata> answers = new ArrayList<>();
        RecordHeaders headers = new RecordHeaders();
        long took = 0;
        for (int number = 0; number < records; number += CHUNK) {
            sent.clear();
            answers.clear();
            for (int one = 0; one < CHUNK; one++) {
                sent.add(new ProducerRecord<>(TOLD, keys[(number + one) % KEYS], value));
                answers.add(new RecordMetadata(
                    place, offset++, 0, System.currentTimeMillis() - one % 20, serialized[0].length, value.length));
            }
            long began = threads.getCurrentThreadCpuTime();
            for (int one = 0; one < CHUNK; one++) {
                hooks.onSend(sent.get(one));
                appended.accept(serialized[(number + one) % KEYS], value);
            }
            for (int one = 0; one < CHUNK; one++) {
                hooks.onAcknowledgement(answers.get(one), null, headers);
            }
            took += threads.getCurrentThreadCpuTime() - began;
        }
        return took;
    }

    private long consumeHooks(int records) throws ReflectiveOperationException {
        Object delegate = field(consumer, KafkaConsumer.class, "delegate");
        ConsumerInterceptors<String, byte[]> hooks = field(delegate, delegate.getClass(), "interceptors");
        TopicPartition place = new TopicPartition(TOLD, 0);
        long took = 0;
        for (int number = 0; number < records; number += CHUNK) {
            List<ConsumerRecord<String, byte[]>> got = new ArrayList<>(CHUNK);
            for (int one = 0; one < CHUNK; one++) {
                got.add(new ConsumerRecord<>(
                    TOLD, 0, offset++, System.currentTimeMillis() - one % 20, TimestampType.CREATE_TIME,
                    serialized[0].length, value.length, keys[(number + one) % KEYS], value, new RecordHeaders(),
                    Optional.empty()));
            }
            ConsumerRecords<String, byte[]> all = new ConsumerRecords<>(Map.of(place, got), Map.of());
            long began = threads.getCurrentThreadCpuTime();
            hooks.onConsume(all);
            took += threads.getCurrentThreadCpuTime() - began;
        }
        return took;
    }

    private static long processor() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
    }

    @SuppressWarnings("unchecked")
    private static <T> T field(Object of, Class<?> type, String name) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return (T) field.get(of);
    }
}
