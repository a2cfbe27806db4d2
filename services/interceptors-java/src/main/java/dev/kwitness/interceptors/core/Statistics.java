package dev.kwitness.interceptors.core;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** What Kafka's client says of itself by JMX; nothing where the application keeps it from doing so. */
final class Statistics {
    /** Kafka quotes all others. */
    private static final Pattern PLAIN = Pattern.compile("[\\w-%. \t]*");

    private final Map<String, Long> before = new HashMap<>();

    /** Members for now, or for what is new since the last time; null where nothing is known. */
    Json.Body of(Client client) {
        if (client.identity.clientId == null) {
            return null;
        }
        try {
            MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
            String id = client.identity.clientId;
            String side = client.side.word;
            ObjectName name = new ObjectName("kafka." + side + ":type=" + side + "-metrics,client-id="
                + (PLAIN.matcher(id).matches() ? id : ObjectName.quote(id)));
            if (!beans.isRegistered(name)) {
                return null;
            }
            long sent = sinceBefore("outgoing", value(beans, name, "outgoing-byte-total"));
            long received = sinceBefore("incoming", value(beans, name, "incoming-byte-total"));
            long queued = client.side == Side.PRODUCER
                ? value(beans, name, "buffer-total-bytes") - value(beans, name, "buffer-available-bytes") : -1;
            return object -> {
                if (queued >= 0) {
                    object.put("queued_bytes", queued);
                }
                object.put("sent_bytes", sent).put("received_bytes", received);
            };
        } catch (JMException | RuntimeException | LinkageError unknown) {
            // Also a Java runtime without the module of JMX.
            return null;
        }
    }

    private long sinceBefore(String key, long now) {
        Long last = before.put(key, now);
        return Math.max(0, now - (last == null ? 0 : last));
    }

    private static long value(MBeanServer beans, ObjectName name, String attribute) throws JMException {
        double value = ((Number) beans.getAttribute(name, attribute)).doubleValue();
        return Double.isNaN(value) ? 0 : (long) value;
    }
}
