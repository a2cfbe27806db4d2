package dev.kwitness.demo;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads a topic as a member of a group. */
final class DemoConsumer {
    private DemoConsumer() {
    }

    static void run(Settings settings, CountDownLatch stop, Progress progress) {
        Properties properties = new Properties();
        properties.put("auto.offset.reset", "earliest");
        properties.putAll(settings.kafka());
        long received = 0;
        StringDeserializer text = new StringDeserializer();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(properties, text, new StringDeserializer())) {
            consumer.subscribe(List.of(settings.topic()));
            while (stop.getCount() > 0) {
                received += poll(consumer, progress);
                if (!consumer.assignment().isEmpty()) {
                    progress.connected(settings.bootstrapServers());
                }
                progress.count("records received", received, "partitions", consumer.assignment().size());
            }
        }
        progress.end("records received", received, "partitions", 0);
    }

    private static int poll(KafkaConsumer<String, String> consumer, Progress progress) {
        try {
            ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(500));
            return records.count();
        } catch (RetriableException passing) {
            progress.trouble(passing);
            return 0;
        } catch (KafkaException lasting) {
            progress.trouble(lasting);
            throw lasting;
        }
    }
}
