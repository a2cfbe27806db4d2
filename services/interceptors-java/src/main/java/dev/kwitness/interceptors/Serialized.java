package dev.kwitness.interceptors;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.apache.kafka.common.serialization.ByteBufferSerializer;
import org.apache.kafka.common.serialization.BytesDeserializer;
import org.apache.kafka.common.serialization.BytesSerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;

/**
 * The bytes of a client's keys or values, where a class of Kafka's own makes one of the other and nothing is lost: of
 * a type alone nobody could tell what another class writes.
 */
final class Serialized {
    /** Of what cannot be told. */
    static final byte[] UNKNOWN = new byte[0];

    private static final char REPLACED = '\ufffd';

    private final Form form;

    private Serialized(Form form) {
        this.form = form;
    }

    /** What a producer writes. */
    static Serialized byProducer(String part, Map<String, ?> configuration) {
        String name = name(configuration.get(part + ".serializer"));
        if (name.equals(StringSerializer.class.getName())) {
            return new Serialized(isUtf8(part, "serializer", configuration) ? Form.TEXT : Form.UNKNOWN);
        }
        return new Serialized(
            name.equals(ByteArraySerializer.class.getName()) ? Form.ARRAY
                : name.equals(BytesSerializer.class.getName()) ? Form.BYTES
                : name.equals(ByteBufferSerializer.class.getName()) ? Form.WHOLE_BUFFER : Form.UNKNOWN);
    }

    /** What a consumer has read. */
    static Serialized byConsumer(String part, Map<String, ?> configuration) {
        String name = name(configuration.get(part + ".deserializer"));
        if (name.equals(StringDeserializer.class.getName())) {
            return new Serialized(isUtf8(part, "deserializer", configuration) ? Form.TEXT : Form.UNKNOWN);
        }
        return new Serialized(
            name.equals(ByteArrayDeserializer.class.getName()) ? Form.ARRAY
                : name.equals(BytesDeserializer.class.getName()) ? Form.BYTES
                : name.equals(ByteBufferDeserializer.class.getName()) ? Form.BUFFER : Form.UNKNOWN);
    }

    /** Null where the value is; {@link #UNKNOWN} where it cannot be told. */
    byte[] of(Object value) {
        if (form == Form.UNKNOWN) {
            return UNKNOWN;
        }
        if (value == null) {
            return null;
        }
        switch (form) {
            case ARRAY:
                return value instanceof byte[] ? (byte[]) value : UNKNOWN;
            case BYTES:
                return value instanceof Bytes ? ((Bytes) value).get() : UNKNOWN;
            case TEXT:
                // What was no UTF-8 has been read as this character.
                return value instanceof String && ((String) value).indexOf(REPLACED) < 0
                    ? ((String) value).getBytes(StandardCharsets.UTF_8) : UNKNOWN;
            default:
                return value instanceof ByteBuffer ? of((ByteBuffer) value) : UNKNOWN;
        }
    }

    private byte[] of(ByteBuffer buffer) {
        ByteBuffer view = buffer.duplicate();
        // What is written of part of a buffer differs between Kafka's versions.
        boolean isWhole = view.hasArray() && view.arrayOffset() == 0 && view.array().length == view.remaining();
        if (form == Form.WHOLE_BUFFER && !isWhole) {
            return UNKNOWN;
        }
        byte[] bytes = new byte[view.remaining()];
        view.get(bytes);
        return bytes;
    }

    private static String name(Object named) {
        return named instanceof Class ? ((Class<?>) named).getName() : String.valueOf(named);
    }

    private static boolean isUtf8(String part, String kind, Map<String, ?> configuration) {
        Object own = configuration.get(part + "." + kind + ".encoding");
        Object said = own == null ? configuration.get(kind + ".encoding") : own;
        return said == null || said.toString().replace("-", "").equalsIgnoreCase("utf8");
    }

    /** How Kafka's own classes write. */
    private enum Form {
        ARRAY,
        BYTES,
        TEXT,
        BUFFER,
        WHOLE_BUFFER,
        UNKNOWN
    }
}
