package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** What a client's {@code interceptor.classes} names. */
public final class ListedClasses {
    /** Key of a client's configuration. */
    public static final String KEY = "interceptor.classes";

    private ListedClasses() {
    }

    /** Names and classes in their order; the value is a text with commas, or a list. */
    public static List<Object> of(Object value) {
        if (value instanceof Collection) {
            return new ArrayList<>((Collection<?>) value);
        }
        List<Object> names = new ArrayList<>();
        for (String name : value == null ? new String[0] : value.toString().split(",")) {
            if (!name.trim().isEmpty()) {
                names.add(name.trim());
            }
        }
        return names;
    }

    /** Whether a class of this name is among them. */
    public static boolean contain(List<Object> classes, String wanted) {
        for (Object one : classes) {
            if (wanted.equals(one instanceof Class ? ((Class<?>) one).getName() : String.valueOf(one))) {
                return true;
            }
        }
        return false;
    }
}
