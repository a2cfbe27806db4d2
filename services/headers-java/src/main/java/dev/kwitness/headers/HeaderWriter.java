package dev.kwitness.headers;

import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Sets headers of a record on its way out, in its own {@code Headers}; nothing is written until something is set.
 *
 * <p>A key has one value: {@link #set} replaces it, wherever it is. Headers that are not set here stay as they are.
 * Kafka refuses changes once the record was sent.
 */
public final class HeaderWriter {
    private final Headers headers;
    private final boolean compact;

    private HeaderWriter(Headers headers, boolean compact) {
        this.headers = headers;
        this.compact = compact;
    }

    /** Writes each key into a header of its own. */
    public static HeaderWriter of(Headers headers) {
        return new HeaderWriter(headers, false);
    }

    /** Writes keys that have an id into the set, others beside it. */
    public static HeaderWriter compact(Headers headers) {
        return new HeaderWriter(headers, true);
    }

    /**
     * Gives a key this value in place of each that it has.
     *
     * @throws HeaderValueException when it is not of the key's type; all is as before
     * @throws HeaderSetException when the record has a set that is none: remove that header first
     * @throws IllegalStateException when the record was sent
     */
    public <T> HeaderWriter set(HeaderKey<T> key, T value) {
        byte[] written = encoded(key, value);
        SortedMap<Integer, byte[]> set = values(key);
        if (compact && key.hasId()) {
            headers.remove(key.name());
            set.put(key.id(), written);
            write(set);
        } else {
            remove(key);
            headers.add(key.name(), written);
        }
        return this;
    }

    /**
     * Takes a key away, wherever it is; nothing happens where it is not.
     *
     * @throws HeaderSetException when the record has a set that is none: remove that header first
     * @throws IllegalStateException when the record was sent
     */
    public HeaderWriter remove(HeaderKey<?> key) {
        SortedMap<Integer, byte[]> set = values(key);
        headers.remove(key.name());
        if (key.hasId() && set.remove(key.id()) != null) {
            write(set);
        }
        return this;
    }

    /** What readers of the record would find now. */
    public HeaderReader reader() {
        return HeaderReader.of(headers);
    }

    private SortedMap<Integer, byte[]> values(HeaderKey<?> key) {
        Header set = key.hasId() ? headers.lastHeader(HeaderSet.HEADER) : null;
        return set == null || set.value() == null
            ? new TreeMap<>() : HeaderSet.decode(set.value());
    }

    private void write(SortedMap<Integer, byte[]> set) {
        headers.remove(HeaderSet.HEADER);
        if (!set.isEmpty()) {
            headers.add(HeaderSet.HEADER, HeaderSet.encode(set));
        }
    }

    private static <T> byte[] encoded(HeaderKey<T> key, T value) {
        try {
            return key.type().encode(value);
        } catch (HeaderValueException wrong) {
            throw wrong.of(key);
        }
    }
}
