package dev.kwitness.interceptors.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Which replica of the collector owns a pod: rendezvous hashing, as the collector itself does it. */
final class Owner {
    private Owner() {
    }

    /** The ordinal with the largest first eight bytes of SHA-256({@code key|ordinal}); of equal ones the lowest. */
    static int of(String key, int replicas) {
        int owner = 0;
        long largest = 0;
        for (int ordinal = 0; ordinal < replicas; ordinal++) {
            long weight = weight(key + "|" + ordinal);
            if (Long.compareUnsigned(weight, largest) > 0) {
                owner = ordinal;
                largest = weight;
            }
        }
        return owner;
    }

    private static long weight(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
