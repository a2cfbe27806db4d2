package dev.kwitness.interceptors.core;

import java.io.File;
import java.io.IOException;
import java.util.Locale;
import java.util.UUID;

/** Who reports: one for each process, or for each class loader whose interceptors were configured by hand. */
final class Source {
    static final String POD_NAME = "KWITNESS_POD_NAME";
    static final String POD_NAMESPACE = "KWITNESS_POD_NAMESPACE";
    static final String END_WITHIN_MS = "KWITNESS_END_WITHIN_MS";
    private static final long DEFAULT_END_WITHIN_MS = 1_000;

    /** 64 random bits. */
    final String reporter;
    /** Start, in milliseconds since 1970. */
    final long epochMs;
    final int processId;
    final String version;

    /** Name of the container; null where nobody said it. */
    final String container;

    /** {@code <namespace>/<pod>}, as in the token; null where nobody said it, so that nothing can be reported. */
    final String pod;

    /** For how many milliseconds the end of the process waits for the last report at most. */
    final long endWithinMs;

    Source(long epochMs) {
        this.epochMs = epochMs;
        reporter = String.format(Locale.ROOT, "%016x", UUID.randomUUID().getLeastSignificantBits() << 2
            ^ UUID.randomUUID().getMostSignificantBits());
        processId = processId();
        String packaged = Source.class.getPackage() == null ? null : Source.class.getPackage()
            .getImplementationVersion();
        version = packaged == null ? "unknown" : packaged;
        String name = variable(POD_NAME);
        String namespace = variable(POD_NAMESPACE);
        pod = name == null || namespace == null ? null : namespace + "/" + name;
        container = variable("KWITNESS_CONTAINER");
        endWithinMs = milliseconds(variable(END_WITHIN_MS), DEFAULT_END_WITHIN_MS);
    }

    /** A whole number of milliseconds, 0 at least; the default where there is none. */
    private static long milliseconds(String value, long byDefault) {
        try {
            return value == null ? byDefault : Math.max(0, Integer.parseInt(value));
        } catch (NumberFormatException refused) {
            Log.warn(END_WITHIN_MS + " is not used: " + value + " is no number of milliseconds");
            return byDefault;
        }
    }

    /** An environment variable; null where it is absent or empty. */
    static String variable(String name) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? null : value;
    }

    /** {@code <namespace>/<pod>/<reporter>}. */
    String name() {
        return pod + "/" + reporter;
    }

    String instance(Client client) {
        return reporter + "/" + client.number;
    }

    private static int processId() {
        try {
            // Java 8 tells it in a module that small runtimes lack.
            return Integer.parseInt(new File("/proc/self").getCanonicalFile().getName());
        } catch (IOException | NumberFormatException elsewhere) {
            return 1;
        }
    }
}
