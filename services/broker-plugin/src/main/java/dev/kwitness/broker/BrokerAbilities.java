package dev.kwitness.broker;

/** What this broker can do, by the classes it has: vendors number their releases as they like. */
final class BrokerAbilities {
    private static final String EXPORTERS = "org.apache.kafka.server.telemetry.ClientTelemetryExporterProvider";
    private static final String INSTANCES = "org.apache.kafka.server.ClientMetricsManager$ClientMetricsStats";
    private static final String CLIENT_CONFIGS = "org.apache.kafka.clients.CommonClientConfigs";
    private static final String AUTO_INCLUDE = "AUTO_INCLUDE_JMX_REPORTER_CONFIG";

    private BrokerAbilities() {
    }

    /** Whether it hides the telemetry APIs when no plugin has a receiver: those before 4.2, without exporters. */
    static boolean hidesTelemetryWithoutReceiver() {
        return find(EXPORTERS) == null;
    }

    /** Whether it adds the JMX reporter to the list by itself, unless told not to: those before 4.0. */
    static boolean addsJmxReporter() {
        Class<?> configs = find(CLIENT_CONFIGS);
        try {
            return configs != null && configs.getField(AUTO_INCLUDE) != null;
        } catch (NoSuchFieldException later) {
            return false;
        }
    }

    /** Whether it has metrics of each client instance, which tell who asked: not 3.7. */
    static boolean showsInstances() {
        return !addsJmxReporter() || find(INSTANCES) != null;
    }

    private static Class<?> find(String name) {
        try {
            return Class.forName(name, false, BrokerAbilities.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError absent) {
            return null;
        }
    }
}
