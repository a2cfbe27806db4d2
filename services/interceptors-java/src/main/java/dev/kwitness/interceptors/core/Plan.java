package dev.kwitness.interceptors.core;

/** What settings mean for one client. */
final class Plan {
    final Settings settings;
    final boolean audit;
    final boolean latency;
    final boolean sizes;
    final boolean stats;
    /** Whether headers of records are judged. */
    final boolean headers;
    /** Length of the windows in which keys are counted, 0 where they are not. */
    final long keysWindowMs;

    Plan(Settings settings) {
        this.settings = settings;
        audit = settings.first("Audit") != null;
        latency = settings.first("Latency") != null;
        sizes = settings.first("Sizes") != null;
        stats = settings.first("Stats") != null;
        headers = settings.first("Headers") != null;
        Settings.Entry cardinality = settings.first("Cardinality");
        keysWindowMs = cardinality == null ? 0 : cardinality.windowMs;
    }

    /** Whether records are looked at, beside their keys. */
    boolean counts() {
        return audit || latency || sizes;
    }

    /** By which name calls of hooks are reported: one class does what all our interceptors do, in one call. */
    String hooksOf() {
        return firstOf(false);
    }

    /** By which name what is done with headers is reported. */
    String headerHooksOf() {
        return firstOf(true);
    }

    private String firstOf(boolean headers) {
        for (Settings.Entry entry : settings.interceptors) {
            if (entry.className == null && entry.isOfHeaders() == headers) {
                return entry.name;
            }
        }
        return null;
    }
}
