package dev.kwitness.broker;

import org.apache.kafka.server.telemetry.ClientTelemetryExporter;
import org.apache.kafka.server.telemetry.ClientTelemetryExporterProvider;

/** Entry class for Kafka 4.2 and later, whose exporter interface tells the push interval. */
public final class KwitnessReporter extends PluginReporter implements ClientTelemetryExporterProvider {

    /** Called by Kafka, which then calls {@link #configure}. */
    public KwitnessReporter() {
        super();
    }

    /**
     * Never null, even while the plugin is passive: these brokers keep a null exporter, fail on it at each push and
     * answer INVALID_RECORD, upon which Java clients stop telemetry until restart.
     */
    @Override
    public ClientTelemetryExporter clientTelemetryExporter() {
        return (context, payload) ->
            receive(context.authorizableRequestContext(), payload, context.pushIntervalMs());
    }
}
