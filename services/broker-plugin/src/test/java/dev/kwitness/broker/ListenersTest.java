package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ListenersTest {
    private static final Map<String, String> SEPARATE = Map.of(
        "listeners", "EXTERNAL://:9092,INTERNAL://:9090,CONTROLLER://:9099",
        "controller.listener.names", "CONTROLLER", "inter.broker.listener.name", "INTERNAL");
    private static final ConnectionGauge CLIENT = new ConnectionGauge("EXTERNAL", "librdkafka", "2.6.0", 1);
    private static final ConnectionGauge BROKER = new ConnectionGauge("INTERNAL", "apache-kafka-java", "4.3.1", 1);
    private static final ConnectionGauge CONTROLLER =
        new ConnectionGauge("CONTROLLER", "apache-kafka-java", "4.3.1", 1);
    private static final ConnectionGauge INTRUDER = new ConnectionGauge("INTERNAL", "librdkafka", "2.6.0", 1);

    @Test
    void connectionsOfBrokersAndControllersAreNotClients() {
        Listeners listeners = new Listeners(SEPARATE);
        assertEquals(List.of("EXTERNAL"), names(listeners.clientFacing(List.of(CLIENT, BROKER, CONTROLLER), Set.of())));
        assertFalse(listeners.shared());
    }

    @Test
    void theListenerBetweenBrokersCountsOnceOtherSoftwareIsOnIt() {
        Listeners listeners = new Listeners(SEPARATE);
        assertEquals(List.of("EXTERNAL", "INTERNAL", "INTERNAL"),
            names(listeners.clientFacing(List.of(CLIENT, BROKER, INTRUDER, CONTROLLER), Set.of())));
        assertTrue(listeners.shared());
    }

    @Test
    void theListenerBetweenBrokersCountsOnceAPushCameOnIt() {
        Listeners listeners = new Listeners(SEPARATE);
        listeners.clientFacing(List.of(BROKER), Set.of("INTERNAL"));
        assertTrue(listeners.shared());
    }

    @Test
    void aSingleListenerIsSharedByNecessity() {
        Listeners listeners = new Listeners(Map.of("listeners", "PLAINTEXT://:9092,CONTROLLER://:9093",
            "controller.listener.names", "CONTROLLER"));
        assertTrue(listeners.shared());
        assertEquals("PLAINTEXT", listeners.interBroker());
    }

    @Test
    void withoutANameTheProtocolBetweenBrokersNamesTheListener() {
        Listeners listeners = new Listeners(Map.of("listeners", "SSL://:9092,PLAINTEXT://:9090",
            "security.inter.broker.protocol", "SSL"));
        assertEquals("SSL", listeners.interBroker());
        assertFalse(listeners.shared());
    }

    private static List<String> names(List<ConnectionGauge> gauges) {
        return gauges.stream().map(ConnectionGauge::listener).collect(Collectors.toList());
    }
}
