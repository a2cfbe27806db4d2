package dev.kwitness.headers;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The types that a HeaderRegistry gives its keys: which bytes are of a type, and what they mean.
 *
 * <p>Numbers have their highest byte first. A JSON value is its text: which class it becomes is the application's.
 */
public final class HeaderType<T> {
    /** Text in UTF-8. */
    public static final HeaderType<String> STRING = new HeaderType<>(
        "String", "text in UTF-8", Utf8::isText, HeaderCodecs.TEXT);
    /** Anything. */
    public static final HeaderType<byte[]> BYTES = bytes(HeaderCodecs.BYTES);
    /** A whole number in 4 bytes. */
    public static final HeaderType<Integer> INT32 = new HeaderType<>(
        "Int32", "a whole number in 4 bytes, the highest first", ofSize(Integer.BYTES), HeaderCodecs.INT32);
    /** A whole number in 8 bytes. */
    public static final HeaderType<Long> INT64 = new HeaderType<>(
        "Int64", "a whole number in 8 bytes, the highest first", ofSize(Long.BYTES), HeaderCodecs.INT64);
    /** A UUID, written in 16 bytes, read from its 36 characters, too. */
    public static final HeaderType<UUID> UUID = new HeaderType<>(
        "Uuid", "a UUID in its 16 bytes", Uuids::isUuid, HeaderCodecs.UUID);
    /** Milliseconds since 1970 in 8 bytes. */
    public static final HeaderType<Long> TIMESTAMP = new HeaderType<>(
        "Timestamp", "milliseconds since 1970 in 8 bytes, the highest first", ofSize(Long.BYTES), HeaderCodecs.INT64);
    /** The text of a JSON value (RFC 8259), at most 64 levels deep. */
    public static final HeaderType<String> JSON = new HeaderType<>(
        "Json", "JSON (RFC 8259) in UTF-8, at most 64 levels deep", JsonGrammar::isJson, HeaderCodecs.JSON);

    private static final Map<String, HeaderType<?>> BY_NAME = byName();

    private final String name;
    private final String wants;
    private final Predicate<byte[]> right;
    private final HeaderCodec<T> codec;

    private HeaderType(String name, String wants, Predicate<byte[]> right, HeaderCodec<T> codec) {
        this.name = name;
        this.wants = wants;
        this.right = right;
        this.codec = Objects.requireNonNull(codec, "codec");
    }

    /** The type Bytes with a codec of one's own; what it throws becomes a {@link HeaderValueException}. */
    public static <T> HeaderType<T> bytes(HeaderCodec<T> codec) {
        return new HeaderType<>("Bytes", "what its codec writes", bytes -> true, codec);
    }

    /** The types by the register's words for them. */
    public static Map<String, HeaderType<?>> all() {
        return Collections.unmodifiableMap(BY_NAME);
    }

    /**
     * Whether a header's value is of a type of the register; a null value is of each.
     *
     * @throws IllegalArgumentException when no type has this name
     */
    public static boolean hasType(String type, byte[] value) {
        HeaderType<?> known = BY_NAME.get(type);
        if (known == null) {
            throw new IllegalArgumentException("there is no type " + type + ": use one of " + BY_NAME.keySet());
        }
        return value == null || known.isRight(value);
    }

    /** The register's word for it. */
    public String name() {
        return name;
    }

    /** Whether bytes are of this type. */
    public boolean isRight(byte[] bytes) {
        return right.test(bytes);
    }

    /**
     * The bytes of a value.
     *
     * @throws HeaderValueException when it is none that this type has
     */
    public byte[] encode(T value) {
        try {
            return codec.encode(Objects.requireNonNull(value, "value")).clone();
        } catch (RuntimeException wrong) {
            String given = value == null ? "null" : "a value of " + value.getClass();
            throw new HeaderValueException(
                given + " is no " + name + " (" + reason(wrong) + "): give " + wants, wrong);
        }
    }

    /**
     * The value that bytes are.
     *
     * @throws HeaderValueException when they are not of this type
     */
    public T decode(byte[] bytes) {
        try {
            if (!isRight(bytes)) {
                throw new WrongValue("it is of another type");
            }
            return codec.decode(bytes.clone());
        } catch (RuntimeException wrong) {
            throw new HeaderValueException("a value of " + bytes.length + " bytes is no " + name + " ("
                + reason(wrong) + "): have its producer write " + wants
                + ", or register the header with the type that it has", wrong);
        }
    }

    /** Messages of codecs may show the value, and a header may be secret. */
    private static String reason(RuntimeException wrong) {
        return wrong instanceof WrongValue ? wrong.getMessage() : wrong.getClass().getSimpleName();
    }

    private static Predicate<byte[]> ofSize(int size) {
        return bytes -> bytes.length == size;
    }

    private static Map<String, HeaderType<?>> byName() {
        Map<String, HeaderType<?>> all = new LinkedHashMap<>();
        for (HeaderType<?> one : Arrays.asList(STRING, BYTES, INT32, INT64, UUID, TIMESTAMP, JSON)) {
            all.put(one.name, one);
        }
        return all;
    }

    @Override
    public String toString() {
        return name;
    }

    /** Why a value is wrong; shows nothing of it. */
    static final class WrongValue extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        WrongValue(String message) {
            super(message);
        }
    }

    /** The codecs of the types. */
    private static final class HeaderCodecs {
        static final HeaderCodec<String> TEXT = new HeaderCodec<String>() {
            @Override
            public byte[] encode(String value) {
                return Utf8.bytes(value);
            }

            @Override
            public String decode(byte[] bytes) {
                return Utf8.text(bytes);
            }
        };
        static final HeaderCodec<String> JSON = new HeaderCodec<String>() {
            @Override
            public byte[] encode(String value) {
                byte[] bytes = Utf8.bytes(value);
                if (!JsonGrammar.isJson(bytes)) {
                    throw new WrongValue("it is no JSON");
                }
                return bytes;
            }

            @Override
            public String decode(byte[] bytes) {
                return Utf8.text(bytes);
            }
        };
        static final HeaderCodec<byte[]> BYTES = new HeaderCodec<byte[]>() {
            @Override
            public byte[] encode(byte[] value) {
                return value;
            }

            @Override
            public byte[] decode(byte[] bytes) {
                return bytes;
            }
        };
        static final HeaderCodec<Integer> INT32 = new HeaderCodec<Integer>() {
            @Override
            public byte[] encode(Integer value) {
                return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
            }

            @Override
            public Integer decode(byte[] bytes) {
                return ByteBuffer.wrap(bytes).getInt();
            }
        };
        static final HeaderCodec<Long> INT64 = new HeaderCodec<Long>() {
            @Override
            public byte[] encode(Long value) {
                return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
            }

            @Override
            public Long decode(byte[] bytes) {
                return ByteBuffer.wrap(bytes).getLong();
            }
        };
        static final HeaderCodec<UUID> UUID = new HeaderCodec<UUID>() {
            @Override
            public byte[] encode(UUID value) {
                return Uuids.bytes(value);
            }

            @Override
            public UUID decode(byte[] bytes) {
                return Uuids.uuid(bytes);
            }
        };

        private HeaderCodecs() {
        }
    }
}
