package dev.kwitness.interceptors.core;

import java.nio.charset.StandardCharsets;

/**
 * Whether bytes that are UTF-8 are one JSON text (RFC 8259), nested {@value #MOST_NESTED} deep at most.
 *
 * <p>Nothing is made of it, and the stack does not grow: values of headers may be anything. {@link JsonText} reads what
 * is ours.
 */
final class StrictJson {
    private static final int MOST_NESTED = 64;

    private final byte[] text;
    /** Whether the object or array of each level is an object. */
    private final boolean[] isObject = new boolean[MOST_NESTED];
    private int nested;
    private int at;

    private StrictJson(byte[] text) {
        this.text = text;
    }

    static boolean isValid(byte[] text) {
        return new StrictJson(text).isValid();
    }

    static boolean isHexadecimal(int c) {
        return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
    }

    private boolean isValid() {
        boolean wantsValue = true;
        while (wantsValue) {
            int c = next();
            if (c == '{' || c == '[') {
                if (nested == MOST_NESTED) {
                    return false;
                }
                isObject[nested] = c == '{';
                nested++;
                at++;
                if (next() != (c == '{' ? '}' : ']')) {
                    if (c == '{' && !key()) {
                        return false;
                    }
                    continue;
                }
                at++;
                nested--;
            } else if (!scalar(c)) {
                return false;
            }
            wantsValue = false;
            while (nested > 0 && !wantsValue) {
                boolean inObject = isObject[nested - 1];
                int after = next();
                at++;
                if (after == ',') {
                    wantsValue = true;
                    if (inObject && !key()) {
                        return false;
                    }
                } else if (after == (inObject ? '}' : ']')) {
                    nested--;
                } else {
                    return false;
                }
            }
        }
        return next() < 0;
    }

    private boolean key() {
        if (next() != '"' || !string() || next() != ':') {
            return false;
        }
        at++;
        return true;
    }

    private boolean scalar(int first) {
        switch (first) {
            case '"':
                return string();
            case 't':
                return word("true");
            case 'f':
                return word("false");
            case 'n':
                return word("null");
            default:
                return number();
        }
    }

    private boolean word(String word) {
        for (byte one : word.getBytes(StandardCharsets.US_ASCII)) {
            if (here() != one) {
                return false;
            }
            at++;
        }
        return true;
    }

    private boolean string() {
        at++;
        while (at < text.length) {
            int c = here();
            at++;
            if (c == '"') {
                return true;
            }
            if (c < ' ' || c == '\\' && !escaped()) {
                return false;
            }
        }
        return false;
    }

    private boolean escaped() {
        int c = here();
        at++;
        if (c != 'u') {
            return c >= 0 && "\"\\/bfnrt".indexOf(c) >= 0;
        }
        for (int digit = 0; digit < 4; digit++) {
            if (!isHexadecimal(here())) {
                return false;
            }
            at++;
        }
        return true;
    }

    private boolean number() {
        if (here() == '-') {
            at++;
        }
        if (here() == '0') {
            at++;
        } else if (!digits()) {
            return false;
        }
        if (here() == '.') {
            at++;
            if (!digits()) {
                return false;
            }
        }
        if (here() == 'e' || here() == 'E') {
            at++;
            if (here() == '+' || here() == '-') {
                at++;
            }
            return digits();
        }
        return true;
    }

    /** One or more of them. */
    private boolean digits() {
        int start = at;
        while (isDigit(here())) {
            at++;
        }
        return at > start;
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /** The byte at the place, from 0 to 255; -1 at the end. */
    private int here() {
        return at < text.length ? text[at] & 0xff : -1;
    }

    /** Likewise the next byte that is no blank. */
    private int next() {
        while (at < text.length && " \t\r\n".indexOf(text[at]) >= 0) {
            at++;
        }
        return here();
    }
}
