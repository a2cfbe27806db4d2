package dev.kwitness.interceptors.agent;

import dev.kwitness.interceptors.core.Log;
import dev.kwitness.interceptors.core.Reporting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Appends interceptors to the configuration of a client that is being made. */
public final class Appending {
    private static final String CLASSES = "interceptor.classes";

    private Appending() {
    }

    /** The settings of a configuration of this class with our interceptors; as they are where it gets none. */
    public static Map<String, Object> to(Class<?> configuration, Map<String, Object> settings) {
        try {
            String reason = Callers.reasonToLeave(configuration);
            if (reason != null) {
                Reporting.notIntercepted(reason);
                return settings;
            }
            return appended(configuration, settings);
        } catch (Throwable defect) {
            Log.warn("a client gets no interceptors: " + defect);
            return settings;
        }
    }

    private static Map<String, Object> appended(Class<?> configuration, Map<String, Object> settings) {
        InterceptorClasses ours = InterceptorClasses.of(configuration);
        if (!ours.fit()) {
            Reporting.notIntercepted("unknown_version");
            return settings;
        }
        List<Object> classes = listed(settings.get(CLASSES));
        if (contains(classes, ours.counting())) {
            return settings;
        }
        Map<String, Object> changed = new HashMap<>(settings);
        List<Object> after = new ArrayList<>();
        for (Reporting.Custom custom : Reporting.customs()) {
            Class<?> found = ours.custom(custom);
            if (found != null && !contains(classes, found)) {
                (custom.first ? classes : after).add(found);
                custom.settings.forEach(changed::putIfAbsent);
            }
        }
        classes.add(ours.counting());
        classes.addAll(after);
        changed.put(CLASSES, classes);
        return changed;
    }

    /** What the application has: a text with commas, or a list of names and classes. */
    private static List<Object> listed(Object value) {
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

    private static boolean contains(List<Object> classes, Class<?> wanted) {
        for (Object one : classes) {
            String name = one instanceof Class ? ((Class<?>) one).getName() : String.valueOf(one);
            if (name.equals(wanted.getName())) {
                return true;
            }
        }
        return false;
    }
}
