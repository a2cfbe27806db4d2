package dev.kwitness.interceptors.core;

/** Whether bytes are UTF-8 (RFC 3629): no character in more bytes than it needs, no surrogates. */
final class Utf8 {
    private Utf8() {
    }

    static boolean isValid(byte[] bytes) {
        int at = 0;
        while (at < bytes.length) {
            int size = bytes[at] >= 0 ? 1 : sizeAt(bytes, at);
            if (size == 0) {
                return false;
            }
            at += size;
        }
        return true;
    }

    /** Bytes of the character that begins there, 0 where none does. */
    private static int sizeAt(byte[] bytes, int at) {
        int first = bytes[at] & 0xff;
        int size = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
        if (size == 0 || at + size > bytes.length) {
            return 0;
        }
        int second = bytes[at + 1] & 0xff;
        int least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        int most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (second < least || second > most) {
            return 0;
        }
        for (int place = at + 2; place < at + size; place++) {
            if ((bytes[place] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return size;
    }
}
