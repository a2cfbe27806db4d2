package dev.kwitness.headers;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;

/**
 * Values that carry headers before the payload, as they were written while Kafka had no headers (Message&lt;H, P&gt;).
 *
 * <p>A wrapped value is a magic prefix of one's own, the size of the set as int32, the set, and the payload: KIP-82's
 * HeadersLength and Headers. What does not begin with the prefix is a payload as it is.
 */
public final class WrappedValues {
    private final byte[] magic;

    /**
     * Wraps and unwraps values with one prefix.
     *
     * @throws IllegalArgumentException when it is empty: every value would begin with it
     */
    public WrappedValues(byte[] magic) {
        if (magic.length == 0) {
            throw new IllegalArgumentException(
                "the magic prefix is empty: give the bytes that wrapped values begin with, at least one");
        }
        this.magic = magic.clone();
    }

    /**
     * The payload and its headers; a value without the prefix, and null, as they are.
     *
     * @throws HeaderSetException when the value has the prefix, and no set behind it
     */
    public Unwrapped unwrap(byte[] value) {
        if (!isMarked(value)) {
            return new Unwrapped(value, null);
        }
        ByteBuffer bytes = ByteBuffer.wrap(value);
        bytes.position(magic.length);
        if (bytes.remaining() < Integer.BYTES) {
            throw notWrapped("truncated", value, "the size of its headers lacks bytes");
        }
        int size = bytes.getInt();
        if (size < 0) {
            throw notWrapped("negative_length", value, "the size of its headers is " + size);
        }
        if (size > bytes.remaining()) {
            throw notWrapped(
                "truncated", value, "its headers have " + size + " bytes, of which " + bytes.remaining() + " are");
        }
        byte[] set = new byte[size];
        bytes.get(set);
        HeaderSet.decode(set); // a payload that begins with the prefix by chance is found out here
        byte[] payload = new byte[bytes.remaining()];
        bytes.get(payload);
        return new Unwrapped(payload, set.length == 0 ? null : set);
    }

    /**
     * A wrapped value, for consumers that do not read headers of records yet.
     *
     * <p>Without headers it is the payload itself, unless that begins with the prefix. A deletion has no payload, and
     * no place for headers in its value: send null.
     */
    public byte[] wrap(Map<Integer, byte[]> headers, byte[] payload) {
        if (headers.isEmpty() && !isMarked(payload)) {
            return payload.clone();
        }
        byte[] set = HeaderSet.encode(headers);
        int size = Math.addExact(magic.length + Integer.BYTES, Math.addExact(set.length, payload.length));
        return ByteBuffer.allocate(size)
            .put(magic).putInt(set.length).put(set).put(payload).array();
    }

    private boolean isMarked(byte[] value) {
        return value != null && value.length >= magic.length
            && Arrays.equals(Arrays.copyOf(value, magic.length), magic);
    }

    private static HeaderSetException notWrapped(String reason, byte[] value, String what) {
        return new HeaderSetException(reason, "a value of " + value.length
            + " bytes begins with the magic prefix and is not wrapped: " + what
            + "; unwrap topics with wrapped values alone, or choose a prefix that no payload begins with");
    }
}
