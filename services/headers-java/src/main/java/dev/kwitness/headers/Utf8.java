package dev.kwitness.headers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;

/** UTF-8 that refuses what it cannot convert; {@code String} would write a question mark instead. */
final class Utf8 {
    private Utf8() {
    }

    static boolean isText(byte[] bytes) {
        try {
            UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException wrong) {
            return false;
        }
    }

    static String text(byte[] bytes) {
        return new String(bytes, UTF_8);
    }

    static byte[] bytes(String text) {
        try {
            ByteBuffer written = UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[written.remaining()];
            written.get(bytes);
            return bytes;
        } catch (CharacterCodingException wrong) {
            throw new HeaderType.WrongValue("half of a surrogate pair is no character");
        }
    }
}
