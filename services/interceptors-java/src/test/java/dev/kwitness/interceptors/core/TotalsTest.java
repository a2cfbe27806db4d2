package dev.kwitness.interceptors.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TotalsTest {
    private static final Map<String, Long> DROPPED = Collections.singletonMap("queue_full", 2L);

    private final ObjectMapper json = new ObjectMapper();
    private final Totals totals = new Totals();
    private final Client client = new Client(Side.PRODUCER, 1, new ClientIdentity("c", null, null, null, "2.8.2"));

    @Test
    void whereNothingWasCountedThereIsStillWhatWasDropped() throws IOException {
        List<String> parts = totals.parts(7, 1_000, DROPPED);

        assertEquals(1, parts.size());
        assertEquals("{\"seq\":7,\"dropped\":{\"queue_full\":2}}", parts.get(0));
    }

    @Test
    void sumsAreWhatARowCanHold() throws IOException {
        for (int number = 0; number < 2; number++) {
            TopicTally tally = new TopicTally();
            for (int record = 0; record < 10_000; record++) {
                tally.endToEndLatency.add(1_800_000_000_000_000L);
            }
            assertEquals(1L << 62, tally.endToEndLatency.sum());
            totals.add(client, "orders", tally);
        }

        JsonNode part = json.readTree(totals.parts(7, 1_000, DROPPED).get(0));

        assertEquals(1L << 62, part.at("/latencies/0/sum_us").asLong());
    }

    @Test
    void manyTopicsAreSplitIntoPartsThatARequestHolds() throws IOException {
        int topics = 5_000;
        for (int number = 0; number < topics; number++) {
            TopicTally tally = new TopicTally();
            tally.sent = 3;
            totals.add(client, "orders-" + number, tally);
        }

        List<String> parts = totals.parts(10, 1_000, DROPPED);

        assertTrue(parts.size() > 1);
        int found = 0;
        long dropped = 0;
        for (int place = 0; place < parts.size(); place++) {
            JsonNode part = json.readTree(parts.get(place));
            assertEquals(10 + place, part.get("seq").asLong());
            assertTrue(parts.get(place).length() < 128 << 10);
            assertTrue(part.get("topics").size() <= 4_096);
            for (JsonNode one : part.get("topics")) {
                assertEquals(3, one.get("sent").asLong());
                found++;
            }
            dropped += part.at("/dropped/queue_full").asLong();
        }
        assertEquals(topics, found);
        assertEquals(2, dropped);
    }
}
