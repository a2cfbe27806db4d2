package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.ClientIdentity;
import dev.kwitness.interceptors.core.Side;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerConfig;

/** Who a client is, by its configuration. */
final class Identities {
    private static final String VERSION = version();

    private Identities() {
    }

    /** Many applications have one configuration for both sides: what is the other side's is left out. */
    static ClientIdentity of(Side side, Map<String, ?> configuration) {
        boolean consumes = side == Side.CONSUMER;
        return new ClientIdentity(
            text(configuration, "client.id"), consumes ? text(configuration, "group.id") : null,
            consumes ? text(configuration, "group.instance.id") : null,
            consumes ? null : text(configuration, "transactional.id"), VERSION);
    }

    /** A setting as text; null where there is none, or an empty one. */
    static String text(Map<String, ?> configuration, String key) {
        Object value = configuration.get(key);
        return value == null || value.toString().isEmpty() ? null : value.toString();
    }

    /** That of kafka-clients as its jar says it, since the class that reads it has moved; null where it does not. */
    private static String version() {
        Properties said = new Properties();
        try (InputStream file = ProducerConfig.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            if (file != null) {
                said.load(file);
            }
        } catch (IOException | IllegalArgumentException unreadable) {
            return null;
        }
        return said.getProperty("version");
    }
}
