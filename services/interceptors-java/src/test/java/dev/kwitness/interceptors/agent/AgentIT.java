package dev.kwitness.interceptors.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs in a process that has the packaged jar as an agent. */
class AgentIT {
    private static final Map<String, Object> NOTHING = Collections.emptyMap();
    private static final String PRODUCERS = "dev.kwitness.interceptors.KwitnessProducerInterceptor";
    private static final String CONSUMERS = "dev.kwitness.interceptors.KwitnessConsumerInterceptor";

    @BeforeAll
    static void report() throws Exception {
        ReportedHeads.begin();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.8.2", "3.7.2", "3.9.2", "4.1.2", "4.3.1", "4.4.0"})
    void clientsOfEveryVersionAreCounted(String version) throws Exception {
        ClassLoader loader = Clients.ofVersion(version);
        try (Closeable producer = Clients.make(loader, "producer", NOTHING);
                Closeable consumer = Clients.make(loader, "consumer", NOTHING)) {
            assertNotEquals(null, ReportedHeads.await(head -> ReportedHeads.clients(head, "producer") == 1
                && ReportedHeads.clients(head, "consumer") == 1));
            assertNotEquals(producer, consumer);
        }
        ReportedHeads.await(head -> ReportedHeads.clients(head, "producer") == 0
            && ReportedHeads.clients(head, "consumer") == 0);
        assertEquals(Collections.singletonList(PRODUCERS), names(Clients.interceptors(loader, "producer", NOTHING)));
        assertEquals(Collections.singletonList(CONSUMERS), names(Clients.interceptors(loader, "consumer", NOTHING)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.8.2", "3.7.2", "3.9.2", "4.1.2", "4.3.1", "4.4.0"})
    void recordsThatAreGivenUpAreCountedInEveryVersion(String version) throws Exception {
        String topic = "orders-" + version;
        long[] counted = new long[2];

        ReportedHeads.await(() -> Clients.sendInVain(Clients.ofVersion(version), topic), head -> {
            for (JsonNode row : head.get("lines")) {
                if (row.path("topic").asText().equals(topic)
                        && row.path("client_software_version").asText().equals(version)) {
                    counted[0] += row.path("sent").asLong();
                    counted[1] += row.at("/failures/timed_out").asLong();
                }
            }
            return counted[0] == 1 && counted[1] == 1;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.8.2", "3.7.2", "3.9.2", "4.1.2", "4.3.1", "4.4.0"})
    void recordsOfEveryVersionAreStampedTracedAndTheirHeadersCounted(String version) throws Exception {
        String topic = "orders-stamped-" + version;
        Map<String, String> headers = new TreeMap<>();
        long[] counted = new long[1];

        ReportedHeads.await(() -> headers.putAll(Clients.sendInVain(Clients.ofVersion(version), topic)), head -> {
            for (JsonNode row : head.get("lines")) {
                if (row.path("topic").asText().equals(topic)
                        && row.path("schema").asText().equals("kwitness.headers/1")) {
                    counted[0] += row.path("records_looked_at").asLong();
                }
            }
            // Beside OpenTelemetry's agent the record has a traceparent before ours looks at it, which is then counted.
            return counted[0] >= 1;
        });

        assertEquals("orders-0", headers.get("pod"));
        assertTrue(headers.get("client").startsWith("producer-"), headers.toString());
        assertTrue(headers.get("traceparent").startsWith("00-" + headers.get("trace") + "-"), headers.toString());
        assertTrue(headers.containsKey("kwitness.checksum"), headers.toString());
    }

    @Test
    @SuppressWarnings("unchecked")
    void classesOfAProfileAreCalledAndThoseThatFailHarmNothing() throws Exception {
        ClassLoader loader = AgentIT.class.getClassLoader();
        Class<?> ours = (Class<?>) ((List<?>) Clients.interceptors(loader, "producer", NOTHING)).get(0);
        ProducerInterceptor<Object, Object> interceptor =
            (ProducerInterceptor<Object, Object>) ours.getDeclaredConstructor().newInstance();
        Map<String, Long> expected = new TreeMap<>();
        expected.put("audit", 0L);
        expected.put("headers", 0L);
        expected.put("marking", 0L);
        expected.put("failing", 3L);
        expected.put("nothing", 1L);
        expected.put("elsewhere", 1L);
        Map<String, Long> errors = new TreeMap<>();

        JsonNode last = ReportedHeads.await(() -> {
            interceptor.configure(Collections.singletonMap("client.id", "customs"));
            ProducerRecord<Object, Object> sent = interceptor.onSend(new ProducerRecord<>("orders", "value"));
            interceptor.onAcknowledgement(null, new TimeoutException());
            interceptor.close();

            assertEquals("orders", sent.topic());
            assertNotEquals(null, sent.headers().lastHeader("seen"));
        }, head -> {
            for (JsonNode row : head.get("lines")) {
                if (row.path("client_id").asText().equals("customs")) {
                    row.path("hooks").forEach(hook -> errors.merge(
                        hook.get("interceptor").asText(), hook.get("errors").asLong(), Long::sum));
                }
            }
            return errors.equals(expected);
        });
        assertEquals("java.lang.AssertionError: on purpose", last.at("/state/unusable/unmade").asText());
        assertEquals("java.lang.AssertionError: on purpose", last.at("/state/unusable/unconfigured").asText());
        assertTrue(last.at("/state/unusable/foreign").asText().contains("is no interceptor"));
    }

    @Test
    @SuppressWarnings("unchecked")
    void classesOfAProfileAreNotCalledForTopicsThatItDoesNotSelect() throws Exception {
        ClassLoader loader = AgentIT.class.getClassLoader();
        Class<?> ours = (Class<?>) ((List<?>) Clients.interceptors(loader, "producer", NOTHING)).get(0);
        ProducerInterceptor<Object, Object> interceptor =
            (ProducerInterceptor<Object, Object>) ours.getDeclaredConstructor().newInstance();
        Map<String, Long> calls = new TreeMap<>();

        ReportedHeads.await(() -> {
            interceptor.configure(Collections.singletonMap("client.id", "other topics"));
            ProducerRecord<Object, Object> record = new ProducerRecord<>("payments", "value");
            RecordMetadata metadata = new RecordMetadata(new TopicPartition("payments", 0), -1, 0, 0, null, 0, 0);

            assertSame(record, interceptor.onSend(record));
            assertFalse(record.headers().iterator().hasNext());
            interceptor.onAcknowledgement(metadata, new TimeoutException());
            interceptor.close();
        }, head -> {
            for (JsonNode row : head.get("lines")) {
                if (row.path("client_id").asText().equals("other topics")) {
                    row.path("hooks").forEach(hook -> calls.merge(
                        hook.get("interceptor").asText() + " " + hook.get("hook").asText(),
                        hook.get("calls").asLong(), Long::sum));
                }
            }
            return calls.containsKey("failing close");
        });
        assertFalse(calls.containsKey("marking on_send"), calls.toString());
        assertFalse(calls.containsKey("failing on_acknowledgement"), calls.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.8.2", "3.9.2", "4.1.2", "4.4.0"})
    void whatAConsumerGetsOfOtherTopicsIsKeptFromClassesOfAProfile(String version) throws Exception {
        ClassLoader application = Clients.ofApplication(version);
        Class<?> ours = (Class<?>) ((List<?>) Clients.interceptors(application, "consumer", NOTHING)).get(0);
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(application);
        try {
            Object left = application.loadClass(Consuming.class.getName()).getMethod("throughInterceptor", Class.class)
                .invoke(null, ours);

            assertEquals("[payments] " + (version.startsWith("4") ? "2" : "0"), left);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void clientsInAnArchiveWithinAnArchiveGetInterceptors() throws Exception {
        ClassLoader loader = Clients.nested("4.3.1");

        Clients.makeAndClose(loader, "producer", NOTHING);

        assertEquals(Collections.singletonList(PRODUCERS), names(Clients.interceptors(loader, "producer", NOTHING)));
    }

    @Test
    void clientsOfAPluginWhoseOwnLoaderIsTheThreadsGetInterceptors() throws Exception {
        ClassLoader worker = Clients.ofVersion("4.1.2");
        ClassLoader plugin = new ClassLoader(worker) { };

        Clients.makeAndClose(plugin, "producer", NOTHING);

        List<?> classes = (List<?>) Clients.interceptors(plugin, "producer", NOTHING);
        assertSame(worker, ((Class<?>) classes.get(0)).getClassLoader().getParent());
    }

    @Test
    void twoVersionsInOneProcessHaveInterceptorsEach() throws Exception {
        Object older = ((List<?>) Clients.interceptors(Clients.ofVersion("2.8.2"), "producer", NOTHING)).get(0);
        Object newer = ((List<?>) Clients.interceptors(Clients.ofVersion("4.3.1"), "producer", NOTHING)).get(0);

        assertEquals(PRODUCERS, ((Class<?>) older).getName());
        assertEquals(PRODUCERS, ((Class<?>) newer).getName());
        assertNotEquals(older, newer);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.1.2", "4.3.1", "4.4.0"})
    void shareConsumersAreLeftAloneAndCounted(String version) throws Exception {
        // Kafka refuses to make one that has interceptors.
        Clients.makeAndClose(Clients.ofVersion(version), "share", NOTHING);

        ReportedHeads.await(head -> head.at("/state/not_intercepted/share_group").asLong() >= 1);
    }

    @Test
    void configurationsOfSubclassesAreLeftAloneAndCounted() throws Exception {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", "127.0.0.1:1");
        settings.put("key.serializer", String.class);
        settings.put("value.serializer", String.class);

        assertTrue(new OwnConfig(settings).getList("interceptor.classes").isEmpty());
        assertFalse(new ProducerConfig(settings).getList("interceptor.classes").isEmpty());
        ReportedHeads.await(head -> head.at("/state/not_intercepted/subclass").asLong() >= 1);
    }

    @Test
    void whatTheApplicationHasStaysAndComesFirst() throws Exception {
        ClassLoader loader = AgentIT.class.getClassLoader();
        String own = Own.class.getName();
        for (Object value : new Object[] {own, Collections.singletonList(own), Arrays.asList((Object) Own.class)}) {
            Map<String, Object> settings = Collections.singletonMap("interceptor.classes", value);

            assertEquals(Arrays.asList(own, PRODUCERS), names(Clients.interceptors(loader, "producer", settings)));
            assertEquals(Collections.singletonMap("interceptor.classes", value), settings);
        }
    }

    @Test
    void oursAreAppendedOnceOnly() throws Exception {
        Map<String, Object> settings = Collections.singletonMap("interceptor.classes", PRODUCERS);

        assertEquals(Collections.singletonList(PRODUCERS),
            names(Clients.interceptors(AgentIT.class.getClassLoader(), "producer", settings)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.7.2", "3.9.2", "4.1.2", "4.3.1", "4.4.0"})
    void accumulatorsShowRecordsAsTheyAreSerialized(String version) throws Exception {
        Class<?> accumulator = Clients.ofVersion(version)
            .loadClass("org.apache.kafka.clients.producer.internals.RecordAccumulator");

        assertEquals(null, accumulator.getField("kwitness$appended").get(null));
    }

    private static List<String> names(Object classes) {
        List<String> names = new ArrayList<>();
        for (Object one : (List<?>) classes) {
            names.add(one instanceof Class ? ((Class<?>) one).getName() : one.toString());
        }
        return names;
    }

    /** As an application may have it. */
    private static final class OwnConfig extends ProducerConfig {
        OwnConfig(Map<String, Object> settings) {
            super(settings);
        }
    }

    /** An interceptor of the application. */
    public static final class Own implements ProducerInterceptor<Object, Object> {
        @Override
        public ProducerRecord<Object, Object> onSend(ProducerRecord<Object, Object> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception error) {
        }

        @Override
        public void close() {
        }

        @Override
        public void configure(Map<String, ?> configuration) {
        }
    }
}
