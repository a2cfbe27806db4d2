package dev.kwitness.interceptors;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kwitness.interceptors.core.ActingClient;
import dev.kwitness.interceptors.core.Side;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records of an application that has OpenTelemetry. */
class TracedByApplicationTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    private final InMemorySpanExporter exported = InMemorySpanExporter.create();
    private final OpenTelemetrySdk sdk = OpenTelemetrySdk.builder().setTracerProvider(
        SdkTracerProvider.builder().addSpanProcessor(SimpleSpanProcessor.create(exported)).build()).build();
    private final ActingClient acting = new ActingClient(
        Side.PRODUCER, "{\"name\":\"t\",\"type\":\"Tracing\"}", "");
    private final ProducerRecord<String, String> record = new ProducerRecord<>("orders", "value");

    @BeforeEach
    @AfterEach
    void forget() {
        GlobalOpenTelemetry.resetForTest();
    }

    @Test
    void theActiveSpanIsContinuedByASpanOfTheApplicationsTracer() {
        GlobalOpenTelemetry.set(sdk);
        Span working = sdk.getTracer("shop").spanBuilder("work").startSpan();
        try (Scope active = working.makeCurrent()) {
            assertNotEquals(null, active);
            OutgoingTest.send(acting, record);
        }

        SpanData span = exported.getFinishedSpanItems().get(0);
        assertEquals("send orders", span.getName());
        assertEquals(SpanKind.PRODUCER, span.getKind());
        assertEquals(working.getSpanContext().getSpanId(), span.getParentSpanId());
        assertEquals(
            "00-" + span.getTraceId() + "-" + span.getSpanId() + "-01", OutgoingTest.text(record, "traceparent"));
    }

    @Test
    void withoutAnActiveSpanTheRecordsOwnIsContinued() {
        GlobalOpenTelemetry.set(sdk);
        record.headers().add("traceparent", ("00-" + TRACE + "-00f067aa0ba902b7-01").getBytes(UTF_8));

        OutgoingTest.send(acting, record);

        SpanData span = exported.getFinishedSpanItems().get(0);
        assertEquals(TRACE, span.getTraceId());
        assertEquals("00f067aa0ba902b7", span.getParentSpanId());
        assertEquals("00-" + TRACE + "-" + span.getSpanId() + "-01", OutgoingTest.text(record, "traceparent"));
    }

    @Test
    void whatOthersHaveWrittenOfTheActiveTraceStays() {
        GlobalOpenTelemetry.set(sdk);
        Span sending = sdk.getTracer("agent").spanBuilder("orders publish").startSpan();
        String written =
            "00-" + sending.getSpanContext().getTraceId() + "-" + sending.getSpanContext().getSpanId() + "-01";
        record.headers().add("traceparent", written.getBytes(UTF_8));
        try (Scope active = sending.makeCurrent()) {
            assertNotEquals(null, active);
            OutgoingTest.send(acting, record);
        }

        assertEquals(written, OutgoingTest.text(record, "traceparent"));
        assertTrue(exported.getFinishedSpanItems().isEmpty());
    }

    @Test
    void anActiveSpanOfATracerThatIsNotGlobalIsContinuedToo() {
        Span working = sdk.getTracer("shop").spanBuilder("work").startSpan();
        try (Scope active = working.makeCurrent()) {
            assertNotEquals(null, active);
            OutgoingTest.send(acting, record);
        }

        assertEquals("00-" + working.getSpanContext().getTraceId() + "-" + working.getSpanContext().getSpanId() + "-01",
            OutgoingTest.text(record, "traceparent"));
    }

    @Test
    void theApplicationCanStillSetItsOwnAfterTheFirstRecord() {
        OutgoingTest.send(acting, record);

        GlobalOpenTelemetry.set(sdk);

        assertEquals(1, record.headers().toArray().length);
    }
}
