package dev.kwitness.interceptors.core;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * Of a serialized key and value: the first 16 bytes of SHA-256 over both, each as its length, 4 bytes, big endian, and
 * its bytes, or as -1 where it is null.
 */
public final class Checksum {
    public static final int SIZE = 16;
    /** Of no record: what a header has until it is written. */
    private static final byte[] NONE = new byte[SIZE];

    /** The key of the header where none is named. */
    static final String HEADER = "kwitness.checksum";

    private Checksum() {
    }

    public static byte[] of(byte[] key, byte[] value) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            add(digest, key);
            add(digest, value);
            return Arrays.copyOf(digest.digest(), SIZE);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    /** Whether a header has one that was written. */
    public static boolean isWritten(byte[] header) {
        return !Arrays.equals(header, NONE);
    }

    private static void add(MessageDigest digest, byte[] bytes) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes == null ? -1 : bytes.length).array());
        if (bytes != null) {
            digest.update(bytes);
        }
    }
}
