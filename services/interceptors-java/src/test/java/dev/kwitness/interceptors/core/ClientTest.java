package dev.kwitness.interceptors.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientTest {
    private static final String ALL = "{\"name\":\"a\",\"type\":\"Audit\"},{\"name\":\"l\",\"type\":\"Latency\"},"
        + "{\"name\":\"s\",\"type\":\"Sizes\"},{\"name\":\"k\",\"type\":\"Cardinality\"}";

    private static final long HOUR_MS = 3_600_000;

    private final Client client = new Client(Side.PRODUCER, 1, new ClientIdentity("c", null, null, null, "2.8.2"));

    @Test
    void recordsAreCountedFromSendingToTheirEnd() {
        follow(settings(ALL, ""));

        client.sent("orders", false);
        client.sent("orders", false);
        client.sent("orders", false);
        long now = System.currentTimeMillis();
        client.acknowledged("orders", 3, 41, now, 2, 100);
        client.acknowledged("orders", 3, 42, now, -1, 50);
        client.failed("orders", "timed_out");

        TopicTally tally = only("orders");
        assertEquals(3, tally.sent);
        assertEquals(2, tally.acknowledged);
        assertEquals(1, tally.failures.get("timed_out"));
        assertEquals(2, tally.keyBytes);
        assertEquals(150, tally.valueBytes);
        assertEquals(41, tally.partitions.get(3).offsets.kept().get(0)[0]);
        assertEquals(42, tally.partitions.get(3).offsets.kept().get(0)[1]);
        assertFalse(tally.acknowledgementTime.isEmpty());
    }

    @Test
    void whatBecameOfARecordCountsInTheWindowInWhichThatIsKnown() {
        long began = System.currentTimeMillis();
        // Windows of both hours are open.
        client.follow(new Plan(settings(ALL, "")), began - 2 * HOUR_MS);

        client.acknowledged("orders", 0, 1, began - HOUR_MS, 1, 1);
        client.failed("orders", "timed_out");

        TopicTally tally = only("orders");
        assertEquals(1, tally.acknowledged);
        assertEquals(1, tally.failures.get("timed_out"));
        assertFalse(tally.acknowledgementTime.isEmpty());
    }

    @Test
    void acknowledgementTimeIsLeftOutWhereTheApplicationSaysTimesItself() {
        follow(settings(ALL, ""));

        client.sent("orders", true);
        client.acknowledged("orders", 0, 1, 1_000, 1, 1);

        TopicTally tally = only("orders");
        assertTrue(tally.acknowledgementTime.isEmpty());
        assertEquals(1, tally.anomalies.get("own_timestamp"));
    }

    @Test
    void aTimeBeforeTheRecordsOwnIsAnAnomalyAndNoLatency() {
        follow(settings(ALL, ""));

        client.consumed(all -> {
            assertTrue(all.from("orders", 0));
            all.record(7, System.currentTimeMillis() + 60_000, 1, 1);
        });

        TopicTally tally = only("orders");
        assertTrue(tally.endToEndLatency.isEmpty());
        assertEquals(1, tally.anomalies.get("negative_latency"));
        assertEquals(1, tally.consumed);
    }

    @Test
    void topicsThatAreTooManyShareOneTally() {
        follow(settings(ALL, "\"limits\":{\"topics\":2},"));

        for (String topic : new String[] {"a", "b", "c", "d"}) {
            client.sent(topic, false);
        }

        assertEquals(2, client.close(Long.MAX_VALUE, Long.MAX_VALUE).topics.firstEntry().getValue()
            .get(Windows.OTHERS).sent);
    }

    @Test
    void otherTopicsAreNotChecked() {
        follow(settings(ALL, "\"topics\":[\"orders*\"],"));

        client.sent("payments", false);
        client.key("payments", new byte[] {1});

        Tallies.Closed closed = client.close(Long.MAX_VALUE, Long.MAX_VALUE);
        assertTrue(closed.topics.isEmpty());
        assertTrue(closed.keys.isEmpty());
    }

    @Test
    void keysAreCountedOnlyWhereThatIsWanted() {
        follow(settings("{\"name\":\"a\",\"type\":\"Audit\"}", ""));
        assertFalse(client.countsKeys());

        follow(settings(ALL, ""));
        client.key("orders", null);
        client.key("orders", "one".getBytes(UTF_8));
        client.key("orders", "one".getBytes(UTF_8));
        client.unsupportedKey("orders");

        KeyTally keys = client.close(Long.MAX_VALUE, Long.MAX_VALUE).keys.firstEntry().getValue().get("orders");
        assertEquals(1, keys.keyless);
        assertEquals(2, keys.records);
        assertEquals(1, keys.uncounted);
        assertEquals(1, keys.keys.estimate());
    }

    @Test
    void nothingIsCountedWhileItIsSuspended() {
        follow(settings(ALL, ""));
        client.follow(null, System.currentTimeMillis());

        client.sent("orders", false);

        assertNull(client.close(Long.MAX_VALUE, Long.MAX_VALUE));
    }

    @Test
    void partitionsThatAreTooManyAreCountedAsLeftOut() {
        follow(settings(ALL, "\"limits\":{\"partitions\":1},"));

        for (int partition = 0; partition < 3; partition++) {
            client.acknowledged("orders", partition, 0, System.currentTimeMillis(), 1, 1);
        }

        TopicTally tally = only("orders");
        assertEquals(3, tally.acknowledged);
        assertEquals(1, tally.partitions.size());
        assertEquals(2, tally.partitionsLeftOut());
    }

    private void follow(Settings settings) {
        client.follow(new Plan(settings), System.currentTimeMillis());
    }

    /** What is counted of a topic, in whatever windows the test was. */
    private TopicTally only(String topic) {
        Map<Long, Map<String, TopicTally>> windows = client.close(Long.MAX_VALUE, Long.MAX_VALUE).topics;
        assertEquals(1, windows.size());
        return windows.values().iterator().next().get(topic);
    }

    static Settings settings(String interceptors, String more) {
        return Settings.parse(("{\"installation\":\"kwitness\",\"cluster_id\":\"c\",\"namespace\":\"shop\","
            + "\"name\":\"orders\",\"suspend\":false," + more + "\"window_ms\":3600000,\"interceptors\":["
            + interceptors + "],\"collector\":null}").getBytes(UTF_8));
    }
}
