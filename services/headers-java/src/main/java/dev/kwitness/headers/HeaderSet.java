package dev.kwitness.headers;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Many headers in one: KIP-82's set, which is ascending int32 id, int32 length, value, and nothing around it.
 *
 * <p>The set has no count. Every length is compared with the bytes that are there before anything is made of it, so
 * that no set makes a reader allocate more than its own size.
 */
public final class HeaderSet {
    /** The native header that the set travels in. */
    public static final String HEADER = "kwitness.set";
    static final int HEAD_BYTES = 2 * Integer.BYTES;

    private HeaderSet() {
    }

    /**
     * The set of these values by id; no bytes where there are none.
     *
     * @throws IllegalArgumentException when an id is negative, or the set would be larger than 2 GiB
     */
    public static byte[] encode(Map<Integer, byte[]> values) {
        SortedMap<Integer, byte[]> ascending = new TreeMap<>(values);
        if (!ascending.isEmpty() && ascending.firstKey() < 0) {
            throw new IllegalArgumentException("a header has the id " + ascending.firstKey()
                + ": give one from 0 to " + Integer.MAX_VALUE);
        }
        long size = ascending.values().stream().mapToLong(value -> (long) HEAD_BYTES + value.length).sum();
        if (size > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("headers of " + size + " bytes do not fit into one: send fewer");
        }
        ByteBuffer written = ByteBuffer.allocate((int) size);
        ascending.forEach((id, value) -> written.putInt(id).putInt(value.length).put(value));
        return written.array();
    }

    /**
     * The values of a whole set by id.
     *
     * @throws HeaderSetException when it is none
     */
    public static SortedMap<Integer, byte[]> decode(byte[] set) {
        HeaderSetReader reader = new HeaderSetReader(ByteBuffer.wrap(set));
        SortedMap<Integer, byte[]> values = new TreeMap<>();
        while (reader.hasNext()) {
            int id = reader.nextId();
            values.put(id, reader.nextValue());
        }
        return values;
    }
}
