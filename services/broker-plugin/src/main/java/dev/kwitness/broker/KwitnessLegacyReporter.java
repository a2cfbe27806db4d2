package dev.kwitness.broker;

import org.apache.kafka.server.telemetry.ClientTelemetry;
import org.apache.kafka.server.telemetry.ClientTelemetryReceiver;

/**
 * Entry class for Kafka 3.7 to 4.1.
 *
 * <p>Kept apart from {@link KwitnessReporter} because a class that names an interface the broker does not have keeps
 * brokers and controllers from starting. Kafka 5.0 removes the interface used here.
 */
@SuppressWarnings({"deprecation", "removal"})
public final class KwitnessLegacyReporter extends PluginReporter implements ClientTelemetry {

    /** Called by Kafka, which then calls {@link #configure}. */
    public KwitnessLegacyReporter() {
        super();
    }

    /**
     * Null while the plugin is passive: then these brokers hide the telemetry APIs. Later ones, which may still load
     * this class after an upgrade, fail on null at each push.
     */
    @Override
    public ClientTelemetryReceiver clientReceiver() {
        if (!active() && BrokerAbilities.hidesTelemetryWithoutReceiver()) {
            return null;
        }
        return (context, payload) -> receive(context, payload, Push.INTERVAL_UNKNOWN);
    }
}
