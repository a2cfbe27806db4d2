package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.Client;
import dev.kwitness.interceptors.core.HeaderSteps;
import dev.kwitness.interceptors.core.Log;
import dev.kwitness.interceptors.core.Reporting;
import dev.kwitness.interceptors.core.Side;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.common.TopicPartition;

/**
 * Counts what a consumer gets and commits, looks at headers as a profile says, and calls the classes that it names; of
 * itself it changes no record.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class KwitnessConsumerInterceptor<K, V> implements ConsumerInterceptor<K, V> {
    private Client client = Client.NONE;
    /** Null where nothing is done with headers. */
    private Incoming incoming;
    /** Null where they could not be made. */
    private Customs<ConsumerInterceptor<K, V>> customs;

    @Override
    public void configure(Map<String, ?> configuration) {
        try {
            client = Reporting.open(
                Side.CONSUMER, Identities.of(Side.CONSUMER, configuration),
                Identities.text(configuration, Reporting.SETTINGS_KEY));
            incoming = new Incoming(client, configuration);
        } catch (Throwable defect) {
            Log.warn("a consumer is not counted: " + defect);
        }
        try {
            customs = new Customs<>(client, ConsumerInterceptor.class, ProducerInterceptor.class, configuration);
        } catch (Throwable defect) {
            Log.warn("a consumer is without the classes of its profile: " + defect);
        }
    }

    @Override
    public ConsumerRecords<K, V> onConsume(ConsumerRecords<K, V> records) {
        HeaderSteps wanted = incoming == null ? null : client.headerSteps();
        ConsumerRecords<K, V> first = wanted == null ? custom(true, records)
            : incoming.take(wanted, records, one -> custom(true, one));
        try {
            client.consumed(all -> count(all, first));
            if (client.countsKeys()) {
                for (ConsumerRecord<K, V> record : first) {
                    Keys.BY_TYPE.sending(client, record.topic(), record.key());
                }
            }
        } catch (Throwable defect) {
            defect("on_consume");
        }
        return custom(false, first);
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        tell(true, offsets);
        try {
            client.commits();
            offsets.forEach((place, offset) -> client.committed(place.topic(), place.partition(), offset.offset()));
        } catch (Throwable defect) {
            defect("on_commit");
        }
        tell(false, offsets);
    }

    @Override
    public void close() {
        try {
            if (customs != null) {
                customs.close(ConsumerInterceptor::close);
            }
            client.close();
        } catch (Throwable defect) {
            defect("close");
        }
    }

    private ConsumerRecords<K, V> custom(boolean before, ConsumerRecords<K, V> records) {
        if (customs == null || customs.isEmpty() || records == null) {
            return records;
        }
        try {
            Predicate<String> selected = Reporting.selection();
            ConsumerRecords<K, V> theirs = TopicRecords.of(records, selected);
            if (theirs.isEmpty() && !records.isEmpty()) {
                return records;
            }
            ConsumerRecords<K, V> made = customs.through(
                before, "on_consume", theirs, ConsumerInterceptor::onConsume, (was, now) -> now != null);
            if (theirs == records) {
                return made;
            }
            return made == theirs ? records : TopicRecords.with(records, selected, made);
        } catch (Throwable defect) {
            defect("on_consume");
            return records;
        }
    }

    private void tell(boolean before, Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (customs == null || customs.isEmpty() || offsets == null) {
            return;
        }
        Predicate<String> selected = Reporting.selection();
        Map<TopicPartition, OffsetAndMetadata> theirs = new HashMap<>(offsets);
        theirs.keySet().removeIf(place -> !selected.test(place.topic()));
        if (!theirs.isEmpty() || offsets.isEmpty()) {
            customs.tell(before, "on_commit", custom -> custom.onCommit(theirs));
        }
    }

    private void count(Client.Consumed all, ConsumerRecords<K, V> records) {
        for (TopicPartition place : records.partitions()) {
            if (all.from(place.topic(), place.partition())) {
                for (ConsumerRecord<K, V> record : records.records(place)) {
                    all.record(
                        record.offset(), record.timestamp(), record.serializedKeySize(), record.serializedValueSize());
                }
            }
        }
    }

    private void defect(String hook) {
        try {
            client.defect(hook);
        } catch (Throwable ignored) {
            // Counting it failed, too: nothing of it may reach the application.
        }
    }
}
