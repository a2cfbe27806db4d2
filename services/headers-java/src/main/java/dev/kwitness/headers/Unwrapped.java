package dev.kwitness.headers;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;

/** A payload, and the headers that were before it. */
public final class Unwrapped {
    private final byte[] payload;
    private final byte[] set;

    Unwrapped(byte[] payload, byte[] set) {
        this.payload = payload;
        this.set = set;
    }

    /** The payload; null for a deletion. */
    public byte[] payload() {
        return payload == null ? null : payload.clone();
    }

    /** The set that was before it; null where there was none. */
    public byte[] set() {
        return set == null ? null : set.clone();
    }

    /**
     * These headers and those of the record itself: those count where both have one,
     * and a set among them hides the one from before the payload.
     */
    public HeaderReader reader(Iterable<Header> headers) {
        List<Header> all = new ArrayList<>();
        if (set != null) {
            all.add(new SetHeader(set));
        }
        headers.forEach(all::add);
        return HeaderReader.of(all);
    }

    private static final class SetHeader implements Header {
        private final byte[] value;

        SetHeader(byte[] value) {
            this.value = value;
        }

        @Override
        public String key() {
            return HeaderSet.HEADER;
        }

        @Override
        public byte[] value() {
            return value;
        }
    }
}
