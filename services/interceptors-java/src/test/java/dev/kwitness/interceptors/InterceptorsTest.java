package dev.kwitness.interceptors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Collections;
import java.util.HashMap;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.junit.jupiter.api.Test;

class InterceptorsTest {
    @Test
    void nothingReachesTheApplicationWhateverItIsCalledWith() {
        KwitnessProducerInterceptor<String, String> producer = new KwitnessProducerInterceptor<>();
        KwitnessConsumerInterceptor<String, String> consumer = new KwitnessConsumerInterceptor<>();
        producer.configure(null);
        consumer.configure(null);
        ProducerRecord<String, String> record = new ProducerRecord<>("orders", "value");
        ConsumerRecords<String, String> records = ConsumerRecords.empty();

        assertSame(record, producer.onSend(record));
        assertSame(null, producer.onSend(null));
        producer.onAcknowledgement(null, null);
        producer.onAcknowledgement(null, new TimeoutException());
        assertSame(records, consumer.onConsume(records));
        assertSame(null, consumer.onConsume(null));
        consumer.onCommit(null);
        producer.close();
        consumer.close();
    }

    @Test
    void withoutSettingsRecordsPass() {
        KwitnessProducerInterceptor<String, String> producer = new KwitnessProducerInterceptor<>();
        producer.configure(new HashMap<>(Collections.singletonMap("client.id", "orders")));
        ProducerRecord<String, String> record = new ProducerRecord<>("orders", "value");

        assertSame(record, producer.onSend(record));
        producer.close();
    }

    @Test
    void reasonsAreKafkasNamesOrOursWhereItHasNone() {
        assertEquals("MESSAGE_TOO_LARGE", Reasons.of(new RecordTooLargeException()));
        assertEquals("queue_full", Reasons.of(new BufferExhaustedException("full")));
        assertEquals("timed_out", Reasons.of(new TimeoutException()));
        assertEquals("serialization", Reasons.of(new SerializationException()));
        assertEquals("purged", Reasons.of(new TransactionAbortedException()));
        assertEquals("INVALID_RECORD", Reasons.of(new KafkaException(
            "Failed to append record because it was part of a batch which had one more more invalid records")));
        assertEquals("closed", Reasons.of(new KafkaException("Producer is closed forcefully.")));
        assertEquals("other", Reasons.of(new IllegalArgumentException()));
    }
}
