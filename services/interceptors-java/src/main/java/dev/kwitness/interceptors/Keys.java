package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.Client;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import org.apache.kafka.common.utils.Bytes;

/**
 * Serialized keys: as the producer appends them where the agent has prepared kafka-clients for that, else those whose
 * type says how they are serialized, as Kafka's own serializers do it.
 */
class Keys {
    static final Keys BY_TYPE = new Keys();

    private static final String ACCUMULATOR = "org.apache.kafka.clients.producer.internals.RecordAccumulator";
    private static final String FIELD = "kwitness$keys";

    /** Of clients of this class loader. */
    static Keys of(ClassLoader loader) {
        try {
            Field field = Class.forName(ACCUMULATOR, true, loader).getField(FIELD);
            Appended appended = new Appended();
            BiConsumer<String, byte[]> hook = Appended::append;
            field.set(null, hook);
            return appended;
        } catch (ReflectiveOperationException | LinkageError unprepared) {
            return BY_TYPE;
        }
    }

    /** A record is about to be sent, or was received. */
    void sending(Client client, String topic, Object key) {
        if (key instanceof ByteBuffer) {
            ByteBuffer view = ((ByteBuffer) key).duplicate();
            byte[] bytes = new byte[view.remaining()];
            view.get(bytes);
            client.key(topic, bytes);
        } else if (key == null || key instanceof byte[]) {
            client.key(topic, (byte[]) key);
        } else if (key instanceof String) {
            client.key(topic, ((String) key).getBytes(StandardCharsets.UTF_8));
        } else if (key instanceof Bytes) {
            client.key(topic, ((Bytes) key).get());
        } else {
            client.unsupportedKey(topic);
        }
    }

    /** The record that this thread was about to send was not. */
    void notSent() {
    }

    /** Keys that the producer appends, on the thread that sends. */
    private static final class Appended extends Keys {
        /** Emptied rather than removed, which takes longer; no class of ours is in it then, so its loader can go. */
        private static final ThreadLocal<Object[]> SENDING = ThreadLocal.withInitial(() -> new Object[1]);

        @Override
        void sending(Client client, String topic, Object key) {
            SENDING.get()[0] = client;
        }

        @Override
        void notSent() {
            SENDING.get()[0] = null;
        }

        static void append(String topic, byte[] key) {
            Object[] sending = SENDING.get();
            Client client = (Client) sending[0];
            if (client != null) {
                // A record is appended again when its batch is full: it counts once.
                sending[0] = null;
                client.key(topic, key);
            }
        }
    }
}
