package dev.kwitness.interceptors.core;

import java.util.Collection;
import java.util.Map;

/** Writes the little JSON that is reported; keys with nothing to say are left out. */
final class Json {
    private final StringBuilder out;
    private boolean first = true;

    private Json(StringBuilder out) {
        this.out = out;
    }

    /** Something that writes members into an object. */
    interface Body {
        void write(Json object);
    }

    /** An object as text. */
    static String object(int sizeHint, Body body) {
        StringBuilder out = new StringBuilder(sizeHint);
        object(out, body);
        return out.toString();
    }

    /** A member with a text; left out when the text is null. */
    Json put(String key, String value) {
        if (value != null) {
            key(key);
            text(out, value);
        }
        return this;
    }

    Json put(String key, long value) {
        key(key);
        out.append(value);
        return this;
    }

    Json put(String key, boolean value) {
        key(key);
        out.append(value);
        return this;
    }

    /** A member with an array of objects. */
    Json putObjects(String key, Collection<? extends Body> values) {
        key(key);
        char separator = '[';
        for (Body value : values) {
            out.append(separator);
            object(out, value);
            separator = ',';
        }
        out.append(values.isEmpty() ? "[]" : "]");
        return this;
    }

    /** A member with an array of values that are JSON already. */
    Json putWritten(String key, Collection<String> values) {
        key(key);
        out.append('[').append(String.join(",", values)).append(']');
        return this;
    }

    /** A member with an object. */
    Json putObject(String key, Body value) {
        key(key);
        object(out, value);
        return this;
    }

    /** A member with an array of numbers. */
    Json putNumbers(String key, long[] values) {
        key(key);
        char separator = '[';
        for (long value : values) {
            out.append(separator).append(value);
            separator = ',';
        }
        out.append(values.length == 0 ? "[]" : "]");
        return this;
    }

    /** A member with an object of numbers. */
    Json putNumbers(String key, Map<String, Long> values) {
        return putObject(key, object -> values.forEach((name, value) -> object.put(name, value.longValue())));
    }

    private static void object(StringBuilder out, Body body) {
        out.append('{');
        body.write(new Json(out));
        out.append('}');
    }

    private void key(String key) {
        if (!first) {
            out.append(',');
        }
        first = false;
        text(out, key);
        out.append(':');
    }

    private static void text(StringBuilder out, String value) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c) && !paired(value, i)) {
                out.append(String.format("\\u%04x", c < ' ' ? (int) c : 0xfffd));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    /** Whether a surrogate has its other half; a lone one is no text and cannot be encoded. */
    private static boolean paired(String value, int i) {
        char c = value.charAt(i);
        return Character.isHighSurrogate(c)
            ? i + 1 < value.length() && Character.isLowSurrogate(value.charAt(i + 1))
            : i > 0 && Character.isHighSurrogate(value.charAt(i - 1));
    }
}
