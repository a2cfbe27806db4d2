package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.Checksum;
import dev.kwitness.interceptors.core.Client;
import dev.kwitness.interceptors.core.HeaderSteps;
import dev.kwitness.interceptors.core.JudgedHeaders;
import dev.kwitness.interceptors.core.OpenTelemetry;
import dev.kwitness.interceptors.core.Side;
import dev.kwitness.interceptors.core.Traceparent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * What a profile has done with the headers of records that are sent; key, value and partition are never touched.
 *
 * <p>A record that was sent before has headers that nobody can change any more: it goes as it is, and counts.
 */
final class Outgoing {
    /** Of a record whose headers cannot be changed any more. */
    private static final String READ_ONLY = "headers_left_out";
    /** Of a record whose serialized key and value cannot be had. */
    private static final String LEFT_OUT = "checksum_left_out";

    private final Client client;
    private final Keys keys;
    private final Serialized key;
    private final Serialized value;
    private final ClassLoader[] application;
    /** Looked for with the first record that is traced. */
    private volatile OpenTelemetry telemetry;
    private volatile boolean lookedForTelemetry;

    Outgoing(Client client, Keys keys, Map<String, ?> configuration) {
        this.client = client;
        this.keys = keys;
        key = Serialized.byProducer("key", configuration);
        value = Serialized.byProducer("value", configuration);
        application = new ClassLoader[] {
            Thread.currentThread().getContextClassLoader(), ProducerInterceptor.class.getClassLoader()};
    }

    /**
     * Judge, stamp and trace a record, in the profile's order, and have a checksum in what becomes of it.
     *
     * @param rest what the classes of the profile make of it, which come after ours
     */
    <K, V> ProducerRecord<K, V> send(
            HeaderSteps wanted, ProducerRecord<K, V> record, UnaryOperator<ProducerRecord<K, V>> rest) {
        long began = System.nanoTime();
        boolean done = contained(() -> steps(wanted, record));
        long paused = System.nanoTime();
        ProducerRecord<K, V> last = rest.apply(record);
        long went = System.nanoTime();
        boolean summed = contained(() -> checksum(wanted, last));
        contained(() -> client.headersDone(
            Side.PRODUCER, System.nanoTime() - went + paused - began, !done || !summed));
        return last;
    }

    /** Whether something was done without anything being thrown, of which the application is to notice nothing. */
    static boolean contained(Runnable body) {
        try {
            body.run();
            return true;
        } catch (Throwable defect) {
            return false;
        }
    }

    private void steps(HeaderSteps wanted, ProducerRecord<?, ?> record) {
        if (!wanted.selects(record.topic())) {
            return;
        }
        for (HeaderSteps.Step step : wanted.steps) {
            try {
                step(wanted, step, record);
            } catch (IllegalStateException sentBefore) {
                client.anomaly(record.topic(), READ_ONLY);
            }
        }
    }

    private void checksum(HeaderSteps wanted, ProducerRecord<?, ?> record) {
        if (wanted.checksum == null || !wanted.selects(record.topic())
                || record.headers().lastHeader(wanted.checksum) != null) {
            return;
        }
        byte[] sum = keys.checksumOfNext();
        if (sum == null) {
            byte[] keyBytes = key.of(record.key());
            byte[] valueBytes = value.of(record.value());
            if (keyBytes == Serialized.UNKNOWN || valueBytes == Serialized.UNKNOWN) {
                client.anomaly(record.topic(), LEFT_OUT);
                return;
            }
            sum = Checksum.of(keyBytes, valueBytes);
        }
        try {
            record.headers().add(wanted.checksum, sum);
        } catch (IllegalStateException sentBefore) {
            client.anomaly(record.topic(), READ_ONLY);
        }
    }

    private void step(HeaderSteps wanted, HeaderSteps.Step step, ProducerRecord<?, ?> record) {
        switch (step.kind) {
            case HEADERS:
                judge(wanted.judge(record.topic()), record);
                break;
            case STAMP:
                for (HeaderSteps.Text text : step.texts) {
                    if (record.headers().lastHeader(text.key) == null) {
                        record.headers().add(text.key, text.value());
                    }
                }
                break;
            default:
                trace(step, record);
                break;
        }
    }

    private void judge(JudgedHeaders judged, ProducerRecord<?, ?> record) {
        boolean readOnly = false;
        for (Iterator<Header> all = record.headers().iterator(); all.hasNext();) {
            Header header = all.next();
            if (judged.add(header.key(), header.value()) && !readOnly) {
                try {
                    all.remove();
                    judged.removed();
                } catch (IllegalStateException sentBefore) {
                    readOnly = true;
                }
            }
        }
        List<byte[]> sets = judged.sets();
        if (sets != null && !readOnly) {
            try {
                record.headers().remove(JudgedHeaders.SET);
                sets.forEach(set -> record.headers().add(JudgedHeaders.SET, set));
                judged.setsReplaced();
            } catch (IllegalStateException sentBefore) {
                readOnly = true;
            }
        }
        client.judged(judged);
        if (readOnly) {
            client.anomaly(record.topic(), READ_ONLY);
        }
    }

    private void trace(HeaderSteps.Step step, ProducerRecord<?, ?> record) {
        Header last = record.headers().lastHeader(Traceparent.KEY);
        Traceparent own = last == null ? null : Traceparent.of(last.value());
        Traceparent now = traceparent(record.topic(), own);
        if (now != own) {
            replace(record.headers(), Traceparent.KEY, now.value());
        }
        if (step.header != null) {
            replace(record.headers(), step.header, now.traceId.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** What the record is to say; its own where that is right already, as beside OpenTelemetry's agent. */
    private Traceparent traceparent(String topic, Traceparent own) {
        OpenTelemetry ofApplication = telemetry();
        Traceparent active = ofApplication == null ? null : ofApplication.active();
        if (own != null && own.isOf(active)) {
            return own;
        }
        Traceparent span = ofApplication == null ? null : ofApplication.sends(topic, active == null ? own : null);
        if (span != null) {
            return span;
        }
        return active != null ? active : own != null ? own : Traceparent.begin();
    }

    private OpenTelemetry telemetry() {
        if (!lookedForTelemetry) {
            telemetry = OpenTelemetry.of(application);
            lookedForTelemetry = true;
        }
        return telemetry;
    }

    private static void replace(Headers headers, String name, byte[] value) {
        Header last = headers.lastHeader(name);
        if (last == null || !Arrays.equals(last.value(), value)) {
            headers.remove(name);
            headers.add(name, value);
        }
    }
}
