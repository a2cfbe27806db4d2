package dev.kwitness.headers;

import java.util.Objects;

/** The name of a header as it stands in records, the type of its values, and its number where it has one. */
public final class HeaderKey<T> {
    private static final int NONE = -1;

    private final String name;
    private final HeaderType<T> type;
    private final int id;

    private HeaderKey(String name, HeaderType<T> type, int id) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a header's key has no name: give the one that stands in records");
        }
        this.name = name;
        this.type = Objects.requireNonNull(type, "type");
        this.id = id;
    }

    /** A key without a number. */
    public static <T> HeaderKey<T> of(String name, HeaderType<T> type) {
        return new HeaderKey<>(name, type, NONE);
    }

    /**
     * A key with its number.
     *
     * @throws IllegalArgumentException when the number is negative
     */
    public static <T> HeaderKey<T> of(String name, HeaderType<T> type, int id) {
        if (id < 0) {
            throw new IllegalArgumentException(
                "header " + name + " has the id " + id + ": give one from 0 to " + Integer.MAX_VALUE);
        }
        return new HeaderKey<>(name, type, id);
    }

    /** The key in records. */
    public String name() {
        return name;
    }

    /** The type of its values. */
    public HeaderType<T> type() {
        return type;
    }

    /** Whether it has a number, and so a place in a set. */
    public boolean hasId() {
        return id != NONE;
    }

    /**
     * Its number.
     *
     * @throws IllegalStateException when it has none
     */
    public int id() {
        if (!hasId()) {
            throw new IllegalStateException("header " + name + " has no id: give it one in its register");
        }
        return id;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof HeaderKey)) {
            return false;
        }
        HeaderKey<?> key = (HeaderKey<?>) other;
        return id == key.id && name.equals(key.name) && type.equals(key.type);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, type, id);
    }

    @Override
    public String toString() {
        return hasId() ? name + " (" + id + ")" : name;
    }
}
