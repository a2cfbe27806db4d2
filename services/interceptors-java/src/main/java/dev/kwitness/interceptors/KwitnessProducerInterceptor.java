package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.Client;
import dev.kwitness.interceptors.core.HeaderSteps;
import dev.kwitness.interceptors.core.Log;
import dev.kwitness.interceptors.core.Reporting;
import dev.kwitness.interceptors.core.Side;
import java.lang.reflect.Method;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Headers;

/**
 * Counts what a producer sends, does with headers what a profile says, and calls the classes that it names; of itself
 * it changes no key and no value.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class KwitnessProducerInterceptor<K, V> implements ProducerInterceptor<K, V> {
    /** Null before 4.1. */
    private static final Method WITH_HEADERS = withHeaders();

    private Client client = Client.NONE;
    private Keys keys = Keys.BY_TYPE;
    /** Null where nothing is done with headers. */
    private Outgoing outgoing;
    /** Null where they could not be made. */
    private Customs<ProducerInterceptor<K, V>> customs;

    @Override
    public void configure(Map<String, ?> configuration) {
        try {
            client = Reporting.open(
                Side.PRODUCER, Identities.of(Side.PRODUCER, configuration),
                Identities.text(configuration, Reporting.SETTINGS_KEY));
            keys = Keys.of(ProducerInterceptor.class.getClassLoader());
            outgoing = new Outgoing(client, keys, configuration);
        } catch (Throwable defect) {
            Log.warn("a producer is not counted: " + defect);
        }
        try {
            customs = new Customs<>(client, ProducerInterceptor.class, ConsumerInterceptor.class, configuration);
        } catch (Throwable defect) {
            Log.warn("a producer is without the classes of its profile: " + defect);
        }
    }

    @Override
    public ProducerRecord<K, V> onSend(ProducerRecord<K, V> record) {
        ProducerRecord<K, V> first = custom(true, record);
        try {
            client.sent(first.topic(), first.timestamp() != null);
            if (client.countsKeys()) {
                keys.sending(client, first.topic(), first.key());
            }
        } catch (Throwable defect) {
            defect("on_send");
        }
        HeaderSteps wanted = outgoing == null ? null : client.headerSteps();
        return wanted == null ? custom(false, first) : outgoing.send(wanted, first, one -> custom(false, one));
    }

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception error) {
        acknowledged(metadata, error, custom -> custom.onAcknowledgement(metadata, error));
    }

    /** What clients from 4.1 on call instead; the headers are null where there are none. */
    public void onAcknowledgement(RecordMetadata metadata, Exception error, Headers headers) {
        acknowledged(metadata, error, custom -> WITH_HEADERS.invoke(custom, metadata, error, headers));
    }

    @Override
    public void close() {
        try {
            if (customs != null) {
                customs.close(ProducerInterceptor::close);
            }
            client.close();
        } catch (Throwable defect) {
            defect("close");
        }
    }

    private void acknowledged(
            RecordMetadata metadata, Exception error, Customs.Told<ProducerInterceptor<K, V>> told) {
        String topic = metadata == null ? null : metadata.topic();
        tell(true, topic, told);
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
        tell(false, topic, told);
    }

    private ProducerRecord<K, V> custom(boolean before, ProducerRecord<K, V> record) {
        return !areCalledFor(record == null ? null : record.topic()) ? record : customs.through(
            before, "on_send", record, ProducerInterceptor::onSend,
            (was, made) -> made != null && made.topic().equals(was.topic()));
    }

    private void tell(boolean before, String topic, Customs.Told<ProducerInterceptor<K, V>> told) {
        if (areCalledFor(topic)) {
            customs.tell(before, "on_acknowledgement", told);
        }
    }

    /** Whether classes of the profile are called for a topic; null where Kafka names none. */
    private boolean areCalledFor(String topic) {
        return customs != null && !customs.isEmpty() && (topic == null || Reporting.selection().test(topic));
    }

    private static Method withHeaders() {
        try {
            return ProducerInterceptor.class.getMethod(
                "onAcknowledgement", RecordMetadata.class, Exception.class, Headers.class);
        } catch (NoSuchMethodException older) {
            return null;
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
