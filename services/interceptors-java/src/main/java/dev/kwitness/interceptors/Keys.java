package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.Checksum;
import dev.kwitness.interceptors.core.Client;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import org.apache.kafka.common.utils.Bytes;

/**
 * Serialized keys and values: as the producer appends them where the agent has prepared kafka-clients for that, else
 * those keys whose type says how they are serialized, as Kafka's own serializers do it.
 */
class Keys {
    static final Keys BY_TYPE = new Keys();

    private static final String ACCUMULATOR = "org.apache.kafka.clients.producer.internals.RecordAccumulator";
    private static final String FIELD = "kwitness$appended";

    /** Of clients of this class loader. */
    static Keys of(ClassLoader loader) {
        try {
            Field field = Class.forName(ACCUMULATOR, true, loader).getField(FIELD);
            Appended appended = new Appended();
            BiConsumer<byte[], byte[]> hook = Appended::append;
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

    /**
     * Room for the checksum of the record that this thread is about to send, which is written into it when the producer
     * appends the record; null where nobody sees that.
     *
     * <p>So the header has its size from the beginning, when the client compares the record's with its limits.
     */
    byte[] checksumOfNext() {
        return null;
    }

    /** The record that this thread was about to send was not. */
    void notSent() {
    }

    /** What the producer appends, on the thread that sends. */
    private static final class Appended extends Keys {
        /** Emptied rather than removed, which takes longer; no class of ours is in it then, so its loader can go. */
        private static final ThreadLocal<Object[]> SENDING = ThreadLocal.withInitial(() -> new Object[3]);
        private static final int CLIENT = 0;
        private static final int TOPIC = 1;
        private static final int CHECKSUMS = 2;
        private static final int MOST_CHECKSUMS = 16;

        @Override
        void sending(Client client, String topic, Object key) {
            Object[] sending = SENDING.get();
            sending[CLIENT] = client;
            sending[TOPIC] = topic;
        }

        @Override
        byte[] checksumOfNext() {
            Object[] sending = SENDING.get();
            if (sending[CHECKSUMS] == null) {
                sending[CHECKSUMS] = new ArrayDeque<byte[]>();
            }
            // A serializer may send a record of its own before the one that it is for: the last comes first.
            ArrayDeque<byte[]> waiting = checksums(sending);
            if (waiting.size() == MOST_CHECKSUMS) {
                waiting.removeLast();
            }
            byte[] room = new byte[Checksum.SIZE];
            waiting.push(room);
            return room;
        }

        @Override
        void notSent() {
            Object[] sending = SENDING.get();
            sending[CLIENT] = null;
            if (sending[CHECKSUMS] != null) {
                checksums(sending).poll();
            }
        }

        static void append(byte[] key, byte[] value) {
            Object[] sending = SENDING.get();
            Client client = (Client) sending[CLIENT];
            if (client != null) {
                // A record is appended again when its batch is full: it counts once.
                sending[CLIENT] = null;
                client.key((String) sending[TOPIC], key);
            }
            if (sending[CHECKSUMS] != null) {
                byte[] room = checksums(sending).poll();
                if (room != null) {
                    System.arraycopy(Checksum.of(key, value), 0, room, 0, Checksum.SIZE);
                }
            }
        }

        @SuppressWarnings("unchecked")
        private static ArrayDeque<byte[]> checksums(Object[] sending) {
            return (ArrayDeque<byte[]>) sending[CHECKSUMS];
        }
    }
}
