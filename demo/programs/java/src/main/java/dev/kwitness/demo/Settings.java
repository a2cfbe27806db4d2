package dev.kwitness.demo;

import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/**
 * What the environment says.
 *
 * @param bootstrapServers {@code BOOTSTRAP_SERVERS}, required
 * @param topic {@code TOPIC}, default {@code demo}
 * @param ratePerSecond {@code RATE_PER_SECOND}, records a producer sends, default 10
 * @param kafka properties of the Kafka client: {@code CLIENT_ID}, {@code GROUP_ID}, and every
 *     {@code KAFKA_<PROPERTY_WITH_UNDERSCORES>}
 */
record Settings(String bootstrapServers, String topic, double ratePerSecond, Properties kafka) {
    private static final String PREFIX = "KAFKA_";

    /** @throws IllegalArgumentException when a value is missing or cannot be */
    static Settings read(Map<String, String> environment) {
        String servers = environment.getOrDefault("BOOTSTRAP_SERVERS", "");
        if (servers.isBlank()) {
            throw new IllegalArgumentException("BOOTSTRAP_SERVERS is not set: give host:port of a broker");
        }
        Properties kafka = new Properties();
        environment.forEach((key, value) -> {
            if (key.startsWith(PREFIX)) {
                kafka.put(key.substring(PREFIX.length()).toLowerCase(Locale.ROOT).replace('_', '.'), value);
            }
        });
        kafka.put("bootstrap.servers", servers);
        kafka.put("client.id", environment.getOrDefault("CLIENT_ID", "demo-java"));
        kafka.put("group.id", environment.getOrDefault("GROUP_ID", "demo-java"));
        return new Settings(servers, environment.getOrDefault("TOPIC", "demo"),
            rate(environment.getOrDefault("RATE_PER_SECOND", "10")), kafka);
    }

    private static double rate(String text) {
        try {
            double rate = Double.parseDouble(text);
            if (rate > 0 && rate <= 100_000) {
                return rate;
            }
        } catch (NumberFormatException malformed) {
            throw new IllegalArgumentException("RATE_PER_SECOND=" + text + " is not a number: give records per second",
                malformed);
        }
        throw new IllegalArgumentException("RATE_PER_SECOND=" + text + " must be above 0 and at most 100000");
    }
}
