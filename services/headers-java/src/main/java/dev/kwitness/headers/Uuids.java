package dev.kwitness.headers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.UUID;

/** UUIDs in their 16 bytes, or in 36 characters. */
final class Uuids {
    private static final int SIZE = 2 * Long.BYTES;
    private static final int CHARACTERS = 36;

    private Uuids() {
    }

    static boolean isUuid(byte[] bytes) {
        if (bytes.length != CHARACTERS) {
            return bytes.length == SIZE;
        }
        for (int place = 0; place < CHARACTERS; place++) {
            boolean hyphen = place == 8 || place == 13 || place == 18 || place == 23;
            if (hyphen ? bytes[place] != '-' : !JsonGrammar.isHexadecimal(bytes[place])) {
                return false;
            }
        }
        return true;
    }

    static byte[] bytes(UUID uuid) {
        return ByteBuffer.allocate(SIZE)
            .putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits()).array();
    }

    static UUID uuid(byte[] bytes) {
        if (bytes.length == CHARACTERS) {
            return UUID.fromString(new String(bytes, US_ASCII));
        }
        ByteBuffer halves = ByteBuffer.wrap(bytes);
        return new UUID(halves.getLong(), halves.getLong());
    }
}
