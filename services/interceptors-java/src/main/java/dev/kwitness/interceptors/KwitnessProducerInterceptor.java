package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.Client;
import dev.kwitness.interceptors.core.Log;
import dev.kwitness.interceptors.core.Reporting;
import dev.kwitness.interceptors.core.Side;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Counts what a producer sends; records are never changed.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class KwitnessProducerInterceptor<K, V> implements ProducerInterceptor<K, V> {
    private Client client = Client.NONE;
    private Keys keys = Keys.BY_TYPE;

    @Override
    public void configure(Map<String, ?> configuration) {
        try {
            client = Reporting.open(
                Side.PRODUCER, Identities.of(Side.PRODUCER, configuration),
                Identities.text(configuration, Reporting.SETTINGS_KEY));
            keys = Keys.of(ProducerInterceptor.class.getClassLoader());
        } catch (Throwable defect) {
            Log.warn("a producer is not counted: " + defect);
        }
    }

    @Override
    public ProducerRecord<K, V> onSend(ProducerRecord<K, V> record) {
        try {
            client.sent(record.topic(), record.timestamp() != null);
            if (client.countsKeys()) {
                keys.sending(client, record.topic(), record.key());
            }
        } catch (Throwable defect) {
            defect("on_send");
        }
        return record;
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception error) {
        try {
            if (error == null) {
                client.acknowledged(
                    metadata.topic(), metadata.partition(), metadata.offset(), metadata.timestamp(),
                    metadata.serializedKeySize(), metadata.serializedValueSize());
            } else if (metadata != null) {
                client.failed(metadata.topic(), Reasons.of(error));
                keys.notSent();
            }
        } catch (Throwable defect) {
            defect("on_acknowledgement");
        }
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (Throwable defect) {
            defect("close");
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
