package dev.kwitness.otlp;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.DoubleGauge;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.resources.Resource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One service with its own SDK, as a process of its own would have it. */
final class Service {
    private static final Duration NEVER = Duration.ofDays(1);
    private final SdkMeterProvider provider;
    private final LongCounter orders;
    private final DoubleGauge waiting;
    private final DoubleHistogram duration;

    Service(String name, Endpoint endpoint) {
        Attributes described = Attributes.builder()
            .put("service.namespace", "shop")
            .put("service.name", name)
            .put("service.instance.id", "0")
            .build();
        provider = SdkMeterProvider.builder()
            .setResource(Resource.create(described))
            .registerMetricReader(PeriodicMetricReader.builder(endpoint.exporter(name)).setInterval(NEVER).build())
            .build();
        Meter meter = provider.get("orders");
        orders = meter.counterBuilder("app.orders").build();
        waiting = meter.gaugeBuilder("app.waiting").build();
        duration = meter.histogramBuilder("app.duration").setUnit("s")
            .setExplicitBucketBoundariesAdvice(List.of(0.1, 0.5, 1.0)).build();
    }

    void add(int amount) {
        orders.add(amount);
        waiting.set(amount + 0.5);
        for (int i = 0; i < amount; i++) {
            duration.record(0.25);
        }
        if (!provider.forceFlush().join(30, TimeUnit.SECONDS).isSuccess()) {
            throw new IllegalStateException("an export failed");
        }
    }
}
