package dev.kwitness.interceptors.agent;

/** For whom a configuration is made. */
final class Callers {
    /** How far a share consumer's own classes are from the configuration. */
    private static final int NEAR = 4;

    private Callers() {
    }

    /** Why the client gets no interceptors; null where it gets some. */
    static String reasonToLeave(Class<?> configuration) {
        StackTraceElement[] frames = new Throwable().getStackTrace();
        int own = 0;
        while (own < frames.length && !isConstructor(frames[own], configuration)) {
            own++;
        }
        for (int caller = own + 1; caller < Math.min(frames.length, own + 1 + NEAR); caller++) {
            // Kafka refuses interceptors in them.
            if (frames[caller].getClassName().contains(".consumer.") && isOfShareConsumer(frames[caller])) {
                return "share_group";
            }
        }
        boolean ofSubclass = own + 1 < frames.length && frames[own + 1].getMethodName().equals("<init>")
            && mayExtend(frames[own + 1].getClassName(), configuration);
        return ofSubclass ? "subclass" : null;
    }

    private static boolean isConstructor(StackTraceElement frame, Class<?> type) {
        return frame.getMethodName().equals("<init>") && frame.getClassName().equals(type.getName());
    }

    private static boolean isOfShareConsumer(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.contains("ShareConsumer");
    }

    /** Also where it cannot be told, since it is in another loader: those that make clients are in the same one. */
    private static boolean mayExtend(String name, Class<?> configuration) {
        try {
            return configuration.isAssignableFrom(Class.forName(name, false, configuration.getClassLoader()));
        } catch (ClassNotFoundException | LinkageError elsewhere) {
            return true;
        }
    }
}
