package dev.kwitness.interceptors.agent;

import dev.kwitness.interceptors.core.ListedClasses;
import dev.kwitness.interceptors.core.Log;
import dev.kwitness.interceptors.core.Reporting;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Appends interceptors to the configuration of a client that is being made, and has it connect to an observer. */
public final class Appending {
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
            return appended(configuration, connecting(settings));
        } catch (Throwable defect) {
            Log.warn("a client gets no interceptors: " + defect);
            return settings;
        }
    }

    private static Map<String, Object> connecting(Map<String, Object> settings) {
        Map<String, String> changes = Reporting.connecting(settings);
        if (changes.isEmpty()) {
            return settings;
        }
        Map<String, Object> changed = new HashMap<>(settings);
        changed.putAll(changes);
        return changed;
    }

    private static Map<String, Object> appended(Class<?> configuration, Map<String, Object> settings) {
        InterceptorClasses ours = InterceptorClasses.of(configuration);
        if (!ours.fit()) {
            Reporting.notIntercepted("unknown_version");
            return settings;
        }
        List<Object> classes = ListedClasses.of(settings.get(ListedClasses.KEY));
        if (ListedClasses.contain(classes, ours.counting().getName())) {
            return settings;
        }
        classes.add(ours.counting());
        Map<String, Object> changed = new HashMap<>(settings);
        changed.put(ListedClasses.KEY, classes);
        return changed;
    }
}
