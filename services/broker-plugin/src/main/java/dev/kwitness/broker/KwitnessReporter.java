package dev.kwitness.broker;

import org.apache.kafka.server.telemetry.ClientTelemetryExporter;
import org.apache.kafka.server.telemetry.ClientTelemetryExporterProvider;

/** Entry class for Kafka 4.2 and later, whose exporter interface tells the push interval. */
public final class KwitnessReporter extends PluginReporter implements ClientTelemetryExporterProvider {

    /** Called by Kafka, which then calls {@link #configure}. */
    public KwitnessReporter() {
        super();
    }

    /** The exporter, or null while the plugin is passive: then the broker hides the telemetry APIs. */
    @Override
    public ClientTelemetryExporter clientTelemetryExporter() {
        PushReceiver receiver = receiver();
        if (receiver == null) {
            return null;
        }
        return (context, payload) ->
            receiver.receive(context.authorizableRequestContext(), payload, context.pushIntervalMs());
    }
}
