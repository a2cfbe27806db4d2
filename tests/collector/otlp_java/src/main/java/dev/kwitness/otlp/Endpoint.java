package dev.kwitness.otlp;

import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporter;
import io.opentelemetry.sdk.metrics.export.AggregationTemporalitySelector;
import io.opentelemetry.sdk.metrics.export.MetricExporter;

/** Where a service exports to; its name says how: anything-(cumulative or delta)-(grpc or http). */
record Endpoint(String grpcPort, String httpPort, String token) {
    MetricExporter exporter(String name) {
        AggregationTemporalitySelector temporality = name.contains("-delta-")
            ? AggregationTemporalitySelector.deltaPreferred()
            : AggregationTemporalitySelector.alwaysCumulative();
        if (name.endsWith("-grpc")) {
            return OtlpGrpcMetricExporter.builder()
                .setEndpoint("http://127.0.0.1:" + grpcPort)
                .addHeader("authorization", "Bearer " + token)
                .setAggregationTemporalitySelector(temporality)
                .build();
        }
        return OtlpHttpMetricExporter.builder()
            .setEndpoint("http://127.0.0.1:" + httpPort + "/v1/metrics")
            .addHeader("Authorization", "Bearer " + token)
            .setAggregationTemporalitySelector(temporality)
            .build();
    }
}
