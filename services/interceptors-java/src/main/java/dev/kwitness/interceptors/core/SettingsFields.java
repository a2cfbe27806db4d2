package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The fields of one object of the settings; a field that nobody asked for is refused, since it would do nothing. */
final class SettingsFields {
    private final String path;
    private final Map<String, Object> fields;

    private SettingsFields(String path, Map<String, Object> fields) {
        this.path = path;
        this.fields = fields;
    }

    /** The fields of what was read at a path. */
    static SettingsFields of(String path, Object value) {
        if (!(value instanceof Map)) {
            throw new IllegalArgumentException((path.isEmpty() ? "settings" : path) + ": an object is needed");
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        ((Map<?, ?>) value).forEach((key, member) -> fields.put((String) key, member));
        return new SettingsFields(path, fields);
    }

    String path(String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    String text(String key) {
        String text = optionalText(key);
        if (text == null || text.isEmpty()) {
            throw wrong(key, "a text is needed");
        }
        return text;
    }

    /** A text that matches as a whole. */
    String text(String key, Pattern pattern) {
        return matching(key, text(key), pattern);
    }

    /** Likewise; the standard one where it is absent. */
    String text(String key, Pattern pattern, String standard) {
        return fields.containsKey(key) ? text(key, pattern) : standard;
    }

    private String matching(String key, String text, Pattern pattern) {
        if (!pattern.matcher(text).matches()) {
            throw wrong(key, "a text that matches " + pattern + " is needed");
        }
        return text;
    }

    String optionalText(String key) {
        Object value = fields.remove(key);
        if (value != null && !(value instanceof String)) {
            throw wrong(key, "a text is needed");
        }
        return (String) value;
    }

    boolean flag(String key) {
        Object value = fields.remove(key);
        if (!(value instanceof Boolean)) {
            throw wrong(key, "true or false is needed");
        }
        return (Boolean) value;
    }

    /** Likewise where it is there; elsewhere the standard one. */
    boolean flag(String key, boolean standard) {
        return fields.containsKey(key) ? flag(key) : standard;
    }

    /** One of these, as their texts say; the standard one where it is absent and that is not null. */
    <E extends Enum<E>> E choice(String key, E[] among, E standard) {
        if (standard != null && !fields.containsKey(key)) {
            return standard;
        }
        String text = text(key);
        for (E one : among) {
            if (one.toString().equals(text)) {
                return one;
            }
        }
        throw wrong(key, text + " is none of " + Arrays.toString(among));
    }

    /** A text that matches as a whole; null where there is none. */
    String optionalText(String key, Pattern pattern) {
        String text = optionalText(key);
        return text == null ? null : matching(key, text, pattern);
    }

    /** A whole number within bounds; null where there is none. */
    Long optionalNumber(String key, long least, long most) {
        if (fields.get(key) == null) {
            fields.remove(key);
            return null;
        }
        return number(key, least, least, most);
    }

    /** A whole number within bounds, or the standard one where it is absent and that is within them. */
    long number(String key, long standard, long least, long most) {
        Object value = fields.containsKey(key) ? fields.remove(key) : Long.valueOf(standard);
        if (!(value instanceof Long) || (Long) value < least || (Long) value > most) {
            throw wrong(key, "a whole number from " + least + " to " + most + " is needed");
        }
        return (Long) value;
    }

    /** An object; where there is none null, or one without fields. */
    SettingsFields object(String key, boolean evenIfAbsent) {
        Object value = fields.remove(key);
        if (value == null) {
            return evenIfAbsent ? new SettingsFields(path(key), new LinkedHashMap<>()) : null;
        }
        return of(path(key), value);
    }

    /** An object that may be null, and may not be left out. */
    SettingsFields given(String key) {
        if (!fields.containsKey(key)) {
            throw wrong(key, "it is needed; null means that there is none");
        }
        return object(key, false);
    }

    List<SettingsFields> objects(String key, int most) {
        List<SettingsFields> found = new ArrayList<>();
        for (Object one : list(key, most)) {
            found.add(of(path(key) + "[" + found.size() + "]", one));
        }
        return found;
    }

    List<String> texts(String key, int most, Pattern pattern) {
        List<String> found = new ArrayList<>();
        for (Object one : list(key, most)) {
            if (!(one instanceof String)) {
                throw wrong(key, "texts are needed");
            }
            found.add(matching(key, (String) one, pattern));
        }
        return Collections.unmodifiableList(found);
    }

    /** Texts of at most so many characters, by keys that match as a whole. */
    Map<String, String> textsByKey(String key, int most, Pattern keys, int longest) {
        SettingsFields object = object(key, true);
        if (object.fields.size() > most) {
            throw wrong(key, "no more than " + most + " are allowed");
        }
        Map<String, String> found = new LinkedHashMap<>();
        for (String one : new ArrayList<>(object.fields.keySet())) {
            object.matching(one, one, keys);
            String text = object.optionalText(one);
            if (text == null || text.length() > longest) {
                throw object.wrong(one, "a text of at most " + longest + " characters is needed");
            }
            found.put(one, text);
        }
        return Collections.unmodifiableMap(found);
    }

    /** Texts that match as a whole, by keys that do. */
    Map<String, String> textsByKey(String key, int most, Pattern keys, Pattern texts) {
        Map<String, String> found = textsByKey(key, most, keys, Integer.MAX_VALUE);
        found.forEach((one, text) -> matching(key + "." + one, text, texts));
        return found;
    }

    void refuseOthers() {
        for (String key : fields.keySet()) {
            throw wrong(key, "there is no such setting");
        }
    }

    private List<?> list(String key, int most) {
        Object value = fields.containsKey(key) ? fields.remove(key) : Collections.emptyList();
        if (!(value instanceof List) || ((List<?>) value).size() > most) {
            throw wrong(key, "a list of at most " + most + " is needed");
        }
        return (List<?>) value;
    }

    private IllegalArgumentException wrong(String key, String reason) {
        return new IllegalArgumentException(path(key) + ": " + reason);
    }
}
