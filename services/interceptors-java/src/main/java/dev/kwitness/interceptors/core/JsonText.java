package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reads JSON into maps, lists, texts, {@link Long}, {@link Double}, {@link Boolean} and null.
 *
 * <p>By hand, since every library of the application is its own, and one of ours would be ten times as large.
 */
final class JsonText {
    private static final int MOST_NESTED = 32;

    private final String text;
    private int at;
    private int nested;

    private JsonText(String text) {
        this.text = text;
    }

    /**
     * The value that a text is.
     *
     * @throws IllegalArgumentException with the place, when it is no JSON
     */
    static Object parse(String text) {
        JsonText reader = new JsonText(text);
        Object value = reader.value();
        if (reader.next() != 0) {
            throw reader.wrong("the end");
        }
        return value;
    }

    private Object value() {
        char c = next();
        switch (c) {
            case '{':
                return nesting(this::object);
            case '[':
                return nesting(this::array);
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private <T> T nesting(Supplier<T> body) {
        nested++;
        if (nested > MOST_NESTED) {
            throw wrong("no more than " + MOST_NESTED + " levels");
        }
        at++;
        T value = body.get();
        nested--;
        return value;
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        if (next() == '}') {
            at++;
            return members;
        }
        do {
            if (next() != '"') {
                throw wrong("a key");
            }
            String key = string();
            take(':');
            members.put(key, value());
        } while (another('}'));
        return members;
    }

    private List<Object> array() {
        List<Object> values = new ArrayList<>();
        if (next() == ']') {
            at++;
            return values;
        }
        do {
            values.add(value());
        } while (another(']'));
        return values;
    }

    private boolean another(char end) {
        char c = next();
        if (c != ',' && c != end) {
            throw wrong("',' or '" + end + "'");
        }
        at++;
        return c == ',';
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        at++;
        while (true) {
            char c = take();
            if (c == '"') {
                return out.toString();
            }
            out.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        char c = take();
        int plain = "\"\\/bfnrt".indexOf(c);
        if (plain >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(plain);
        }
        if (c != 'u' || at + 4 > text.length()) {
            throw wrong("an escaped character");
        }
        at += 4;
        try {
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        } catch (NumberFormatException bad) {
            throw wrong("four hexadecimal digits");
        }
    }

    private Object number() {
        int start = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(start, at);
        try {
            if (digits.matches("-?[0-9]+")) {
                return Long.valueOf(digits);
            }
            return Double.valueOf(digits);
        } catch (NumberFormatException bad) {
            throw wrong("a value");
        }
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("a value");
        }
        at += word.length();
        return value;
    }

    private void take(char expected) {
        if (next() != expected) {
            throw wrong("'" + expected + "'");
        }
        at++;
    }

    private char take() {
        if (at >= text.length()) {
            throw wrong("'\"'");
        }
        at++;
        return text.charAt(at - 1);
    }

    /** The next character that is no blank, 0 at the end. */
    private char next() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private IllegalArgumentException wrong(String expected) {
        return new IllegalArgumentException("no JSON: " + expected + " is expected at character " + at);
    }
}
