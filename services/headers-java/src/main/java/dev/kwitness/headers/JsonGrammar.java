package dev.kwitness.headers;

/**
 * Whether bytes are a JSON value as RFC 8259 has it, and nothing beyond; contracts/vectors/header_types.json has what
 * every runtime takes alike.
 *
 * <p>By hand: the JDK has no JSON, and nothing of the value is needed but whether it is one.
 */
final class JsonGrammar {
    /** Objects and arrays within each other; deeper values are refused, so that no reader runs out of stack. */
    static final int MOST_NESTED = 64;
    private static final int END = -1;

    private final byte[] bytes;
    private int at;
    private int nested;

    private JsonGrammar(byte[] bytes) {
        this.bytes = bytes;
    }

    static boolean isJson(byte[] bytes) {
        // Within texts the grammar takes any character; whether bytes are characters is settled first.
        if (!Utf8.isText(bytes)) {
            return false;
        }
        JsonGrammar grammar = new JsonGrammar(bytes);
        return grammar.value() && grammar.next() == END;
    }

    static boolean isHexadecimal(int c) {
        return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
    }

    private boolean value() {
        switch (next()) {
            case '{':
                return nesting('}');
            case '[':
                return nesting(']');
            case '"':
                return text();
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

    private boolean nesting(char end) {
        at++;
        nested++;
        if (nested > MOST_NESTED) {
            return false;
        }
        boolean right = next() == end || members(end);
        at++;
        nested--;
        return right;
    }

    /** Members of an object or array, up to its end. */
    private boolean members(char end) {
        while (true) {
            if (end == '}' && !name() || !value()) {
                return false;
            }
            int c = next();
            if (c != ',') {
                return c == end;
            }
            at++;
        }
    }

    private boolean name() {
        if (next() != '"' || !text() || next() != ':') {
            return false;
        }
        at++;
        return true;
    }

    private boolean text() {
        at++;
        while (true) {
            int c = peek();
            if (c >= 0 && c < ' ' || c == END) {
                return false;
            }
            at++;
            if (c == '"') {
                return true;
            }
            if (c == '\\' && !escape()) {
                return false;
            }
        }
    }

    private boolean escape() {
        int c = peek();
        at++;
        if (c != 'u') {
            return c != END && "\"\\/bfnrt".indexOf(c) >= 0;
        }
        for (int digit = 0; digit < 4; digit++) {
            if (!isHexadecimal(peek())) {
                return false;
            }
            at++;
        }
        return true;
    }

    private boolean number() {
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else if (!digits()) {
            return false;
        }
        if (peek() == '.') {
            at++;
            if (!digits()) {
                return false;
            }
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            return digits();
        }
        return true;
    }

    /** At least one. */
    private boolean digits() {
        int start = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        return at > start;
    }

    private boolean word(String word) {
        for (int place = 0; place < word.length(); place++) {
            if (peek() != word.charAt(place)) {
                return false;
            }
            at++;
        }
        return true;
    }

    /** The next byte that is no blank. */
    private int next() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n') {
            at++;
        }
        return peek();
    }

    /** The byte that stands next; bytes beyond ASCII, which characters have within texts alone, are above 127. */
    private int peek() {
        return at < bytes.length ? bytes[at] & 0xff : END;
    }
}
