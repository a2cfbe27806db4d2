package dev.kwitness.interceptors;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.kwitness.interceptors.core.ActingClient;
import dev.kwitness.interceptors.core.Checksum;
import dev.kwitness.interceptors.core.Side;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

class IncomingTest {
    private static final String HEADERS = "{\"name\":\"h\",\"type\":\"Headers\"}";
    private static final String CHECKSUM = "{\"name\":\"c\",\"type\":\"Checksum\"}";

    @Test
    void deniedHeadersAreCountedAndStay() {
        ActingClient acting = new ActingClient(Side.CONSUMER, HEADERS, "\"headers\":{\"unregistered\":\"Deny\"},");
        ConsumerRecords<Object, Object> records = records(
            new RecordHeaders().add("a", new byte[2]).add("a", null), "key", 3, "value", 5);

        assertSame(records, take(acting, StringDeserializer.class, records));

        assertEquals(2, records.iterator().next().headers().toArray().length);
        assertEquals("{a=2 of 2 bytes, 0 removed}", acting.headers("orders").toString());
    }

    @Test
    void aChecksumOfAnotherValueIsAMismatch() {
        ActingClient acting = new ActingClient(Side.CONSUMER, CHECKSUM, "");

        take(acting, StringDeserializer.class, records(checksum("key", "value"), "key", 3, "value", 5));
        take(acting, StringDeserializer.class, records(checksum("key", null), "key", 3, null, -1));
        take(acting, StringDeserializer.class, records(checksum("key", "value"), "key", 3, "other", 5));
        take(acting, StringDeserializer.class, records(checksum("key", "value"), "key", 3, null, -1));
        take(acting, StringDeserializer.class, records(new RecordHeaders(), "key", 3, "value", 5));
        assertEquals(Collections.singletonMap("checksum_mismatch", 2L), acting.anomalies("orders"));
    }

    @Test
    void whatCannotBeComparedIsCounted() {
        ActingClient acting = new ActingClient(Side.CONSUMER, CHECKSUM, "");

        take(acting, IntegerDeserializer.class, records(checksum("key", "value"), 1, 4, "value", 5));
        // Of another size than was read, of what was no UTF-8, and never written.
        take(acting, StringDeserializer.class, records(checksum("key", "value"), "key", 3, "value", 9));
        take(acting, StringDeserializer.class, records(checksum("key", "value"), "key", 3, "a\ufffd", 4));
        take(acting, StringDeserializer.class, records(
            new RecordHeaders().add("kwitness.checksum", new byte[Checksum.SIZE]), "key", 3, "value", 5));

        assertEquals(Collections.singletonMap("checksum_not_compared", 4L), acting.anomalies("orders"));
    }

    @Test
    void checksumsAreOfWhatWasReadWhateverTheProfilesClassesMakeOfIt() {
        ActingClient acting = new ActingClient(Side.CONSUMER, CHECKSUM, "");

        new Incoming(acting.client, configuration(StringDeserializer.class)).take(
            acting.client.headerSteps(), records(checksum("key", "value"), "key", 3, "value", 5),
            records -> records(checksum("key", "value"), "key", 3, "masks", 5));

        assertEquals(Collections.emptyMap(), acting.anomalies("orders"));
    }

    private static ConsumerRecords<Object, Object> take(
            ActingClient acting, Class<?> keys, ConsumerRecords<Object, Object> records) {
        return new Incoming(acting.client, configuration(keys))
            .take(acting.client.headerSteps(), records, same -> same);
    }

    private static Map<String, Object> configuration(Class<?> keys) {
        Map<String, Object> configuration = new HashMap<>();
        configuration.put("key.deserializer", keys);
        configuration.put("value.deserializer", StringDeserializer.class.getName());
        return configuration;
    }

    private static Headers checksum(String key, String value) {
        return new RecordHeaders().add("kwitness.checksum",
            Checksum.of(key.getBytes(UTF_8), value == null ? null : value.getBytes(UTF_8)));
    }

    private static ConsumerRecords<Object, Object> records(
            Headers headers, Object key, int keySize, Object value, int valueSize) {
        ConsumerRecord<Object, Object> record = new ConsumerRecord<>(
            "orders", 0, 7, 0L, TimestampType.CREATE_TIME, null, keySize, valueSize, key, value, headers);
        return new ConsumerRecords<>(Collections.singletonMap(
            new TopicPartition("orders", 0), Collections.singletonList(record)));
    }
}
