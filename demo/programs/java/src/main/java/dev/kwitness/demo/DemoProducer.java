package dev.kwitness.demo;

import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Sends small records at a steady rate. */
final class DemoProducer {
    private DemoProducer() {
    }

    static void run(Settings settings, CountDownLatch stop, Progress progress) throws InterruptedException {
        Properties properties = new Properties();
        properties.putAll(settings.kafka());
        // Belongs to consumers; a producer would warn about it.
        properties.remove("group.id");
        long pauseNanos = (long) (1e9 / settings.ratePerSecond());
        AtomicLong acknowledged = new AtomicLong();
        AtomicLong failed = new AtomicLong();
        StringSerializer text = new StringSerializer();
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(properties, text, new StringSerializer())) {
            long next = System.nanoTime();
            for (long number = 0; !stop.await(next - System.nanoTime(), TimeUnit.NANOSECONDS); number++) {
                ProducerRecord<String, String> record = new ProducerRecord<>(
                    settings.topic(), "key-" + number % 100, "record " + number + " at " + System.currentTimeMillis());
                producer.send(record, (metadata, error) -> {
                    if (error == null) {
                        progress.connected(settings.bootstrapServers());
                        acknowledged.incrementAndGet();
                    } else {
                        failed.incrementAndGet();
                        progress.trouble(error);
                    }
                });
                progress.count("records acknowledged", acknowledged.get(), "failed", failed.get());
                next = Math.max(next + pauseNanos, System.nanoTime() - Duration.ofSeconds(1).toNanos());
            }
        }
        progress.end("records acknowledged", acknowledged.get(), "failed", failed.get());
    }
}
