package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Against the Kafka that the plugin is built with, which is newer than 4.2; brokers of each version are tested too. */
class BrokerAbilitiesTest {
    @Test
    void aNewBrokerIsKnownByItsClasses() {
        assertFalse(BrokerAbilities.hidesTelemetryWithoutReceiver());
        assertFalse(BrokerAbilities.addsJmxReporter());
        assertTrue(BrokerAbilities.showsInstances());
    }
}
