package dev.kwitness.interceptors.core;

/**
 * Says on standard error what is wrong, a few times at most.
 *
 * <p>The application's logging is not for us to start: in an agent it would be set up before the application does it.
 */
public final class Log {
    private static final int MOST = 100;

    private static int lines;

    private Log() {
    }

    /** Write one line. */
    public static synchronized void warn(String message) {
        lines++;
        if (lines <= MOST) {
            System.err.println("kwitness interceptors: " + message.replaceAll("\\p{Cntrl}+", " ")
                + (lines == MOST ? " (nothing more is said)" : ""));
        }
    }
}
