package dev.kwitness.headers;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads a set from its beginning, and no byte further than it is asked to.
 *
 * <p>Since ids ascend, {@link #readUntil} stops where a higher one stands: after that one's four bytes, which the next
 * call does not read again. Not safe for several threads.
 */
public final class HeaderSetReader {
    private static final int NONE = -1;

    private final ByteBuffer bytes;
    private final int start;
    private int waiting = NONE;
    private int last = NONE;

    /** Reads from the buffer's position to its limit; the buffer itself stays as it is. */
    public HeaderSetReader(ByteBuffer set) {
        bytes = set.duplicate().order(ByteOrder.BIG_ENDIAN);
        start = bytes.position();
    }

    /** How many bytes were read. */
    public int position() {
        return bytes.position() - start;
    }

    /**
     * The value with this id, null where the set has none; those with lower ids are passed over.
     *
     * @throws IllegalArgumentException when the id is not above the one asked for before, whose bytes are passed
     * @throws HeaderSetException when what had to be read is no set
     */
    public byte[] readUntil(int id) {
        if (id <= last) {
            throw new IllegalArgumentException("header " + id + " is asked for after " + last
                + ": ask in ascending order, or begin another reader");
        }
        while (hasNext() && nextId() < id) {
            int length = nextLength();
            bytes.position(bytes.position() + length);
        }
        return hasNext() && nextId() == id ? nextValue() : null;
    }

    /** Whether a header stands next, or bytes that are to be one. */
    public boolean hasNext() {
        return waiting != NONE || bytes.hasRemaining();
    }

    /**
     * The id that stands next; its value is still to be read.
     *
     * @throws HeaderSetException when none does
     */
    public int nextId() {
        if (waiting == NONE) {
            int at = position();
            int id = number("an id");
            if (id < 0) {
                throw wrong("negative_id", at, "the id " + id + " is negative");
            }
            if (id == last) {
                throw wrong("duplicate", at, "the id " + id + " comes again");
            }
            if (id < last) {
                throw wrong("out_of_order", at, "the id " + id + " comes after " + last);
            }
            waiting = id;
        }
        return waiting;
    }

    /**
     * The value of the header that stands next.
     *
     * @throws HeaderSetException when none does
     */
    public byte[] nextValue() {
        nextId();
        byte[] value = new byte[nextLength()];
        bytes.get(value);
        return value;
    }

    /** How many bytes the next value has, all of which are there; its id is used up. */
    private int nextLength() {
        int at = position();
        int length = number("the length of header " + waiting);
        if (length < 0) {
            throw wrong("negative_length", at, "the length of header " + waiting + " is " + length);
        }
        if (length > bytes.remaining()) {
            throw wrong("truncated", at,
                "header " + waiting + " has " + length + " bytes, of which " + bytes.remaining() + " are");
        }
        last = waiting;
        waiting = NONE;
        return length;
    }

    private int number(String what) {
        if (bytes.remaining() < Integer.BYTES) {
            throw wrong("truncated", position(), what + " lacks bytes");
        }
        return bytes.getInt();
    }

    private HeaderSetException wrong(String reason, int at, String what) {
        bytes.position(start + at); // whoever asks again is told the same
        return new HeaderSetException(reason, bytes.limit() - start + " bytes are no set of headers: at byte " + at
            + " " + what
            + "; have what writes them use HeaderSet or Python's encode_set, or read them as what they are");
    }
}
