package dev.kwitness.interceptors;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kwitness.interceptors.core.ActingClient;
import dev.kwitness.interceptors.core.Checksum;
import dev.kwitness.interceptors.core.Side;
import dev.kwitness.interceptors.core.Traceparent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class OutgoingTest {
    private static final String STAMPS = "{\"name\":\"s\",\"type\":\"Stamp\",\"stamps\":["
        + "{\"key\":\"client\",\"from\":\"ClientId\"},{\"key\":\"cluster\",\"from\":\"ClusterId\"},"
        + "{\"key\":\"id\",\"from\":\"UniqueId\"},{\"key\":\"stage\",\"from\":\"Value\",\"value\":\"production\"},"
        + "{\"key\":\"team\",\"from\":\"Attribute\",\"value\":\"team\"},"
        + "{\"key\":\"workload\",\"from\":\"Workload\"}]}";
    private static final String TRACING = "{\"name\":\"t\",\"type\":\"Tracing\",\"header\":\"trace\"}";
    private static final String CHECKSUM = "{\"name\":\"c\",\"type\":\"Checksum\"}";
    private static final String HEADERS = "{\"name\":\"h\",\"type\":\"Headers\"}";
    private static final String DENYING = "\"headers\":{\"unregistered\":\"Deny\",\"keys\":[{\"name\":\"a\","
        + "\"type\":\"String\",\"policy\":\"Deny\",\"max_bytes\":2},{\"name\":\"b\",\"type\":\"Int32\"}]},";

    @Test
    void aRecordIsStampedWhereItHasNoSuchHeaderYet() {
        ActingClient acting = new ActingClient(Side.PRODUCER, STAMPS, "\"attributes\":{\"team\":\"shop\"},");
        ProducerRecord<String, String> record = new ProducerRecord<>("orders", 3, 17L, "key", null, null);
        record.headers().add("stage", "test".getBytes(UTF_8));

        ProducerRecord<String, String> sent = send(acting, record);

        assertSame(record, sent);
        assertEquals("shop-client", text(sent, "client"));
        assertEquals("c", text(sent, "cluster"));
        assertEquals("shop", text(sent, "team"));
        assertEquals("test", text(sent, "stage"));
        assertNull(sent.headers().lastHeader("workload"), "it is not known");
        assertTrue(text(sent, "id").matches("[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
        assertEquals("key", sent.key());
        assertNull(sent.value());
        assertEquals(3, sent.partition());
        assertEquals(17L, sent.timestamp());
        assertEquals(Collections.emptyMap(), acting.anomalies("orders"));
    }

    @Test
    void otherTopicsAreLeftAlone() {
        ActingClient acting = new ActingClient(
            Side.PRODUCER, STAMPS + "," + TRACING + "," + CHECKSUM + "," + HEADERS,
            "\"topics\":[\"orders*\"]," + DENYING);
        ProducerRecord<String, String> record = new ProducerRecord<>("payments", "value");
        record.headers().add("denied", new byte[0]);

        assertEquals(Collections.singletonList("denied"), keys(send(acting, record)));
    }

    @Test
    void onlyTheHeadersThatAreDeniedAreRemoved() {
        ActingClient acting = new ActingClient(Side.PRODUCER, HEADERS, DENYING);
        ProducerRecord<String, String> record = new ProducerRecord<>("orders", "value");
        record.headers().add("a", "ok".getBytes(UTF_8)).add("a", "too large".getBytes(UTF_8))
            .add("a", new byte[] {-1}).add("a", null).add("b", new byte[1]).add("c", new byte[3]);

        assertEquals("[a, a, b]", keys(send(acting, record)).toString());

        assertEquals("ok", new String(record.headers().headers("a").iterator().next().value(), UTF_8));
        assertEquals(
            "{a=4 of 12 bytes, 2 removed, b=1 of 1 bytes, 0 removed, c=1 of 3 bytes, 1 removed}",
            acting.headers("orders").toString());
    }

    @Test
    void deniedKeysLeaveTheCompactSetUnlessTheRecordWasSentBefore() {
        ActingClient acting = new ActingClient(Side.PRODUCER, HEADERS,
            "\"headers\":{\"unregistered\":\"Deny\",\"keys\":["
                + "{\"name\":\"a\",\"type\":\"String\",\"id\":7,\"required\":true}]},");
        byte[] set = {0, 0, 0, 7, 0, 0, 0, 1, 'x', 0, 0, 0, 9, 0, 0, 0, 0};
        ProducerRecord<String, String> record = new ProducerRecord<>("orders", "value");
        record.headers().add("kwitness.set", set).add("a", new byte[0]);
        ProducerRecord<String, String> again = new ProducerRecord<>("orders", "value");
        again.headers().add("kwitness.set", set);
        ((RecordHeaders) again.headers()).setReadOnly();

        send(acting, record);
        send(acting, again);

        assertEquals("[a, kwitness.set]", keys(record).toString());
        assertArrayEquals(
            new byte[] {0, 0, 0, 7, 0, 0, 0, 1, 'x'}, record.headers().lastHeader("kwitness.set").value());
        assertArrayEquals(set, again.headers().lastHeader("kwitness.set").value());
        assertEquals(
            "{#9=2 of 0 bytes, 1 removed, a=3 of 2 bytes, 0 removed, kwitness.set=2 of 34 bytes, 0 removed}",
            acting.headers("orders").toString());
    }

    @Test
    void entriesActInTheOrderOfTheProfile() {
        ActingClient before = new ActingClient(Side.PRODUCER, HEADERS + "," + STAMPS, DENYING);
        ActingClient after = new ActingClient(Side.PRODUCER, STAMPS + "," + HEADERS, DENYING);

        assertEquals(
            "[client, cluster, id, stage]", keys(send(before, new ProducerRecord<>("orders", "v"))).toString());
        assertEquals("[]", keys(send(after, new ProducerRecord<>("orders", "v"))).toString());
    }

    @Test
    void whatWasSentBeforeIsSentAsItIsAndCounted() {
        ActingClient acting = new ActingClient(
            Side.PRODUCER, HEADERS + "," + STAMPS + "," + TRACING + "," + CHECKSUM, DENYING);
        ProducerRecord<String, String> record = new ProducerRecord<>("orders", "value");
        record.headers().add("denied", new byte[0]);
        ((RecordHeaders) record.headers()).setReadOnly();

        assertEquals("[denied]", keys(send(acting, record)).toString());

        assertEquals(Collections.singletonMap("headers_left_out", 4L), acting.anomalies("orders"));
    }

    @Test
    void aRecordThatIsSentAgainNeedsNothingMore() {
        ActingClient acting = new ActingClient(Side.PRODUCER, STAMPS + "," + TRACING + "," + CHECKSUM, "");
        ProducerRecord<String, String> record = new ProducerRecord<>("orders", "value");
        List<String> first = keys(send(acting, record));
        ((RecordHeaders) record.headers()).setReadOnly();

        assertEquals(first, keys(send(acting, record)));
        assertEquals(Collections.emptyMap(), acting.anomalies("orders"));
    }

    @Test
    void aTraceIsBegunAndContinuedFromHopToHop() {
        ActingClient acting = new ActingClient(Side.PRODUCER, TRACING, "");
        ProducerRecord<String, String> first = send(acting, new ProducerRecord<>("orders", "value"));
        ProducerRecord<String, String> second =
            send(acting, new ProducerRecord<>("shipments", null, null, null, "value", first.headers()));
        second.headers().add("tracestate", "vendor=1".getBytes(UTF_8));

        Traceparent begun = Traceparent.of(first.headers().lastHeader("traceparent").value());
        assertEquals(begun.traceId, text(first, "trace"));
        assertEquals(text(first, "traceparent"), text(second, "traceparent"));
        assertTrue(text(first, "traceparent").endsWith("-01"));
        assertEquals("[traceparent, trace, tracestate]", keys(send(acting, second)).toString());
    }

    @Test
    void aHeaderThatSaysNoTraceIsReplaced() {
        ActingClient acting = new ActingClient(Side.PRODUCER, TRACING, "");
        ProducerRecord<String, String> record = new ProducerRecord<>("orders", "value");
        record.headers().add("traceparent", "nothing".getBytes(UTF_8)).add("trace", "old".getBytes(UTF_8));

        send(acting, record);

        assertEquals("[traceparent, trace]", keys(record).toString());
        assertEquals(Traceparent.of(record.headers().lastHeader("traceparent").value()).traceId, text(record, "trace"));
    }

    @Test
    void checksumsAreOfWhatKafkasOwnClassesWrite() {
        ActingClient acting = new ActingClient(Side.PRODUCER, CHECKSUM, "");

        byte[] sum = send(acting, new ProducerRecord<>("orders", "key", "value")).headers()
            .lastHeader("kwitness.checksum").value();
        byte[] ofTombstone = send(acting, new ProducerRecord<>("orders", "key", (String) null)).headers()
            .lastHeader("kwitness.checksum").value();

        assertArrayEquals(Checksum.of("key".getBytes(UTF_8), "value".getBytes(UTF_8)), sum);
        assertArrayEquals(Checksum.of("key".getBytes(UTF_8), null), ofTombstone);
    }

    @Test
    void recordsWhoseBytesCannotBeToldHaveNoChecksumAndAreCounted() {
        ActingClient acting = new ActingClient(Side.PRODUCER, CHECKSUM, "");
        Map<String, Object> configuration = configuration();
        configuration.put("key.serializer", IntegerSerializer.class);
        Map<String, Object> latin = configuration();
        latin.put("value.serializer.encoding", "ISO-8859-1");

        ProducerRecord<?, ?> one = new Outgoing(acting.client, Keys.BY_TYPE, configuration)
            .send(acting.client.headerSteps(), new ProducerRecord<>("orders", 1, "value"), same -> same);
        ProducerRecord<?, ?> other = new Outgoing(acting.client, Keys.BY_TYPE, latin)
            .send(acting.client.headerSteps(), new ProducerRecord<>("orders", "key", "value"), same -> same);

        assertEquals("[][]", keys(one).toString() + keys(other));
        assertEquals(Collections.singletonMap("checksum_left_out", 2L), acting.anomalies("orders"));
    }

    @Test
    void theChecksumIsOfWhatTheProfilesOwnClassesMakeOfARecord() {
        ActingClient acting = new ActingClient(Side.PRODUCER, CHECKSUM, "");

        ProducerRecord<String, String> sent = new Outgoing(acting.client, Keys.BY_TYPE, configuration()).send(
            acting.client.headerSteps(), new ProducerRecord<>("orders", "value"),
            record -> new ProducerRecord<>("orders", null, null, null, "masked", record.headers()));

        assertArrayEquals(
            Checksum.of(null, "masked".getBytes(UTF_8)), sent.headers().lastHeader("kwitness.checksum").value());
    }

    @Test
    void whatFailsIsCountedAndHarmsNothing() {
        ActingClient acting = new ActingClient(Side.PRODUCER, STAMPS, "");

        assertNull(send(acting, null));

        assertEquals(Collections.singletonMap("errors", 1L), acting.anomalies("orders"));
    }

    static ProducerRecord<String, String> send(ActingClient acting, ProducerRecord<String, String> record) {
        return new Outgoing(acting.client, Keys.BY_TYPE, configuration())
            .send(acting.client.headerSteps(), record, same -> same);
    }

    static Map<String, Object> configuration() {
        Map<String, Object> configuration = new HashMap<>();
        configuration.put("key.serializer", StringSerializer.class);
        configuration.put("value.serializer", StringSerializer.class.getName());
        return configuration;
    }

    static String text(ProducerRecord<?, ?> record, String key) {
        return new String(record.headers().lastHeader(key).value(), UTF_8);
    }

    private static List<String> keys(ProducerRecord<?, ?> record) {
        List<String> keys = new ArrayList<>();
        for (Header header : record.headers()) {
            keys.add(header.key());
        }
        return keys;
    }
}
