package dev.kwitness.interceptors;

import dev.kwitness.interceptors.core.ClientIdentity;
import java.util.Map;
import org.apache.kafka.common.utils.AppInfoParser;

/** Who a client is, by its configuration. */
final class Identities {
    private Identities() {
    }

    static ClientIdentity of(Map<String, ?> configuration) {
        return new ClientIdentity(
            text(configuration, "client.id"), text(configuration, "group.id"), text(configuration, "group.instance.id"),
            text(configuration, "transactional.id"), AppInfoParser.getVersion());
    }

    /** A setting as text; null where there is none, or an empty one. */
    static String text(Map<String, ?> configuration, String key) {
        Object value = configuration.get(key);
        return value == null || value.toString().isEmpty() ? null : value.toString();
    }
}
