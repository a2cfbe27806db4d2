package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.Checksum;
import dev.kwitness.interceptors.core.Client;
import dev.kwitness.interceptors.core.HeaderSteps;
import dev.kwitness.interceptors.core.JudgedHeaders;
import dev.kwitness.interceptors.core.Side;
import java.util.Arrays;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.header.Header;

/** What a profile has done with the headers of records that were read: they are looked at, and never changed. */
final class Incoming {
    /** Of a record whose serialized key and value cannot be had. */
    private static final String NOT_COMPARED = "checksum_not_compared";
    private static final String MISMATCH = "checksum_mismatch";

    private final Client client;
    private final Serialized key;
    private final Serialized value;

    Incoming(Client client, Map<String, ?> configuration) {
        this.client = client;
        key = Serialized.byConsumer("key", configuration);
        value = Serialized.byConsumer("value", configuration);
    }

    /**
     * Compare the checksums of records as they were read, and judge the headers of what becomes of them.
     *
     * @param rest what the classes of the profile make of them, which come before ours
     */
    <K, V> ConsumerRecords<K, V> take(
            HeaderSteps wanted, ConsumerRecords<K, V> records, UnaryOperator<ConsumerRecords<K, V>> rest) {
        if (wanted.checksum == null && !wanted.judges) {
            return rest.apply(records);
        }
        long began = System.nanoTime();
        boolean compared = wanted.checksum == null
            || Outgoing.contained(() -> records.forEach(record -> compare(wanted, record)));
        long paused = System.nanoTime();
        ConsumerRecords<K, V> first = rest.apply(records);
        long went = System.nanoTime();
        boolean judged = !wanted.judges || Outgoing.contained(() -> first.forEach(record -> judge(wanted, record)));
        Outgoing.contained(() -> client.headersDone(
            Side.CONSUMER, System.nanoTime() - went + paused - began, !compared || !judged));
        return first;
    }

    private void compare(HeaderSteps wanted, ConsumerRecord<?, ?> record) {
        Header header = record.headers().lastHeader(wanted.checksum);
        String wrong = header == null || !wanted.selects(record.topic()) ? null : wrong(record, header.value());
        if (wrong != null) {
            client.anomaly(record.topic(), wrong);
        }
    }

    private void judge(HeaderSteps wanted, ConsumerRecord<?, ?> record) {
        if (wanted.selects(record.topic())) {
            JudgedHeaders judged = wanted.judge(record.topic());
            record.headers().forEach(header -> judged.add(header.key(), header.value()));
            client.judged(judged);
        }
    }

    private String wrong(ConsumerRecord<?, ?> record, byte[] checksum) {
        byte[] keyBytes = key.of(record.key());
        byte[] valueBytes = value.of(record.value());
        boolean isKnown = isWhole(keyBytes, record.serializedKeySize())
            && isWhole(valueBytes, record.serializedValueSize()) && Checksum.isWritten(checksum);
        if (!isKnown) {
            return NOT_COMPARED;
        }
        return Arrays.equals(checksum, Checksum.of(keyBytes, valueBytes)) ? null : MISMATCH;
    }

    /** Whether these are all bytes that were read. */
    private static boolean isWhole(byte[] bytes, int size) {
        return bytes != Serialized.UNKNOWN && (bytes == null ? ConsumerRecord.NULL_SIZE : bytes.length) == size;
    }
}
