package dev.kwitness.broker;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** The broker's listeners, from its configuration: which are for clients, which for brokers and controllers. */
final class Listeners {
    private static final String BROKER_SOFTWARE = "apache-kafka-java";

    private final String configured;
    private final Set<String> controllers;
    private final String interBroker;
    private final boolean single;
    private volatile boolean sharing;

    Listeners(Map<String, ?> brokerProperties) {
        configured = text(brokerProperties, "listeners", "PLAINTEXT://:9092");
        controllers = names(text(brokerProperties, "controller.listener.names", ""));
        // Without a name Kafka takes the listener that is called like the protocol between brokers.
        interBroker = text(brokerProperties, "inter.broker.listener.name",
            text(brokerProperties, "security.inter.broker.protocol", "PLAINTEXT")).toUpperCase(Locale.ROOT);
        Set<String> forClients = names(configured);
        forClients.removeAll(controllers);
        forClients.remove(interBroker);
        single = forClients.isEmpty();
        sharing = single;
    }

    String configured() {
        return configured;
    }

    String interBroker() {
        return interBroker;
    }

    /**
     * The gauges that are about clients: without the controller listeners, and without the listener between brokers
     * unless clients use it too.
     *
     * <p>They do when it is the only one, when pushes arrived on it, or when software other than a broker's is
     * connected to it. Its gauges then contain the brokers' own connections, which is why it is flagged.
     */
    List<ConnectionGauge> clientFacing(List<ConnectionGauge> all, Set<String> listenersWithPushes) {
        if (!sharing) {
            sharing = listenersWithPushes.contains(interBroker)
                || all.stream().anyMatch(gauge -> interBroker.equals(gauge.listener()) && !isBroker(gauge));
        }
        return all.stream()
            .filter(gauge -> !controllers.contains(gauge.listener()))
            .filter(gauge -> sharing || !Objects.equals(interBroker, gauge.listener()))
            .collect(Collectors.toList());
    }

    /** Whether clients were seen on the listener between brokers, or have no other. */
    boolean shared() {
        return sharing;
    }

    /** Brokers announce themselves as the Java client, or nothing while the connection is being made. */
    private static boolean isBroker(ConnectionGauge gauge) {
        return BROKER_SOFTWARE.equals(gauge.softwareName()) || "unknown".equals(gauge.softwareName());
    }

    private static Set<String> names(String list) {
        return Arrays.stream(list.split(","))
            .map(entry -> entry.trim().replaceFirst("://.*", "").toUpperCase(Locale.ROOT))
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static String text(Map<String, ?> properties, String key, String otherwise) {
        Object value = properties.get(key);
        if (value instanceof List) {
            return ((List<?>) value).stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        return value == null || value.toString().trim().isEmpty() ? otherwise : value.toString().trim();
    }
}
