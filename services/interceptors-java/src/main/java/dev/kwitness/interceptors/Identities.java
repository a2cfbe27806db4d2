package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.ClientIdentity;
import dev.kwitness.interceptors.core.Side;
import java.util.Map;
import org.apache.kafka.common.utils.AppInfoParser;

/** Who a client is, by its configuration. */
final class Identities {
    private Identities() {
    }

    /** Many applications have one configuration for both sides: what is the other side's is left out. */
    static ClientIdentity of(Side side, Map<String, ?> configuration) {
        boolean consumes = side == Side.CONSUMER;
        return new ClientIdentity(
            text(configuration, "client.id"), consumes ? text(configuration, "group.id") : null,
            consumes ? text(configuration, "group.instance.id") : null,
            consumes ? null : text(configuration, "transactional.id"), AppInfoParser.getVersion());
    }

    /** A setting as text; null where there is none, or an empty one. */
    static String text(Map<String, ?> configuration, String key) {
        Object value = configuration.get(key);
        return value == null || value.toString().isEmpty() ? null : value.toString();
    }
}
