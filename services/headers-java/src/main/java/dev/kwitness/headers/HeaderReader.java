package dev.kwitness.headers;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;

/**
 * A record's headers as they were when this was made; they cannot be changed by it, nor it by them.
 *
 * <p>Of headers with the same key the last counts, as in Kafka's own {@code lastHeader}. A key with an id is looked for
 * in the set where no header has its name.
 */
public final class HeaderReader {
    private final List<Native> headers;

    private HeaderReader(List<Native> headers) {
        this.headers = headers;
    }

    /** Of the headers of a record: a {@code Headers}, or what {@link Unwrapped} found before a payload. */
    public static HeaderReader of(Iterable<Header> headers) {
        List<Native> copies = new ArrayList<>();
        headers.forEach(one -> copies.add(new Native(one)));
        return new HeaderReader(copies);
    }

    /**
     * The value of a header, null where the record has none, and where it is null.
     *
     * @throws HeaderValueException when it is not of the key's type
     * @throws HeaderSetException when the record's set is none, as far as it had to be read
     */
    public <T> T get(HeaderKey<T> key) {
        return get(key, null);
    }

    /**
     * The value of a header: the default where the record has none, null where it is null.
     *
     * @throws HeaderValueException when it is not of the key's type
     * @throws HeaderSetException when the record's set is none, as far as it had to be read
     */
    public <T> T get(HeaderKey<T> key, T otherwise) {
        Native found = last(key.name());
        if (found != null) {
            return decoded(key, found.value);
        }
        byte[] value = inTheSet(key);
        return value == null ? otherwise : decoded(key, value);
    }

    /**
     * Whether the record has a header.
     *
     * @throws HeaderSetException when the record's set is none, as far as it had to be read
     */
    public boolean has(HeaderKey<?> key) {
        return last(key.name()) != null || inTheSet(key) != null;
    }

    private byte[] inTheSet(HeaderKey<?> key) {
        Native set = key.hasId() ? last(HeaderSet.HEADER) : null;
        return set == null || set.value == null
            ? null : new HeaderSetReader(ByteBuffer.wrap(set.value)).readUntil(key.id());
    }

    private Native last(String name) {
        for (int place = headers.size() - 1; place >= 0; place--) {
            if (headers.get(place).name.equals(name)) {
                return headers.get(place);
            }
        }
        return null;
    }

    private static <T> T decoded(HeaderKey<T> key, byte[] value) {
        try {
            return value == null ? null : key.type().decode(value);
        } catch (HeaderValueException wrong) {
            throw wrong.of(key);
        }
    }

    /** A copy of one header: those that Kafka hands over share their bytes with whoever asks. */
    private static final class Native {
        private final String name;
        private final byte[] value;

        Native(Header header) {
            name = header.key();
            value = header.value() == null ? null : header.value().clone();
        }
    }
}
