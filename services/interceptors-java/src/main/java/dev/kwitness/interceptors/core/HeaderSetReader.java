package dev.kwitness.interceptors.core;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Reads the keys of a compact set (KIP-82) as far as a reader gets: ascending int32 number, int32 length, value.
 *
 * <p>Nothing is made of a length that the bytes do not have.
 */
final class HeaderSetReader {
    /** The native header that the set travels in. */
    static final String HEADER = "kwitness.set";
    /** Keys in the sets of one record that are evaluated. */
    static final int MOST_KEYS = 4_096;

    private static final int HEAD_BYTES = 2 * Integer.BYTES;

    /** Of the key that was read. */
    int number = -1;
    /** First of its bytes, and the one behind its last. */
    int start;
    int end;
    /** A set of problems: what is wrong, once there is no further key. */
    int problems;

    private final byte[] set;
    private final int most;
    private int read;

    /** Of so many keys at most; a null value is a set without keys. */
    HeaderSetReader(byte[] set, int most) {
        this.set = set == null ? new byte[0] : set;
        this.most = most;
    }

    /** That of the key that was read. */
    byte[] value() {
        return Arrays.copyOfRange(set, start + HEAD_BYTES, end);
    }

    /** How many keys were read. */
    int read() {
        return read;
    }

    /** Read the next key; false at the end. */
    boolean next() {
        if (problems != 0 || end == set.length) {
            return false;
        }
        if (read >= most) {
            problems = HeaderProblem.TOO_LARGE.bit();
            return false;
        }
        ByteBuffer head = ByteBuffer.wrap(set, end, set.length - end);
        if (head.remaining() < HEAD_BYTES) {
            return stop();
        }
        int next = head.getInt();
        int length = head.getInt();
        if (next <= number || length < 0 || length > head.remaining()) {
            return stop();
        }
        number = next;
        start = end;
        end = head.position() + length;
        read++;
        return true;
    }

    private boolean stop() {
        problems = HeaderProblem.WRONG_TYPE.bit();
        return false;
    }
}
