package dev.kwitness.interceptors.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WindowWriterTest {
    private static final long ROOM = 1 << 20;

    private final ObjectMapper json = new ObjectMapper();
    private final EventQueue queue = new EventQueue();
    private final WindowWriter writer = new WindowWriter(new Source(1_000), queue);

    @Test
    void topicsThatShareARowHaveNoOffsets() throws IOException {
        Settings settings = ClientTest.settings("{\"name\":\"a\",\"type\":\"Audit\"}", "\"limits\":{\"topics\":1},");
        Client client = new Client(Side.PRODUCER, 1, new ClientIdentity("c", null, null, null, "2.8.2"));
        client.follow(new Plan(settings), System.currentTimeMillis());
        client.acknowledged("a", 0, 5, System.currentTimeMillis(), 1, 1);
        client.acknowledged("b", 0, 7, System.currentTimeMillis(), 1, 1);

        writer.write(settings, Collections.singletonMap(client, client.close(Long.MAX_VALUE, Long.MAX_VALUE)));

        Map<String, JsonNode> rows = topicRows();
        assertEquals(5, rows.get("a").at("/partitions/0/offset_ranges/0/first").asLong());
        JsonNode shared = rows.get("");
        assertTrue(shared.get("overflowed").asBoolean());
        assertEquals(1, shared.get("acknowledged").asLong());
        assertFalse(shared.has("partitions"));
    }

    @Test
    void windowsAreSealedWhenWhatIsOfThemIsSettled() {
        writer.queued(5_000);
        assertEquals(5_000, writer.sealedUntilMs(queue.settled()));

        queue.push(Row.of(queue.next(), WindowWriter.TOPIC, "key", "{}"), ROOM);
        writer.queued(6_000);
        writer.queued(7_000);
        assertEquals(5_000, writer.sealedUntilMs(queue.settled()));

        queue.send(1);
        queue.settle(Verdicts.parse("{\"protocol\":2,\"collector\":\"n/c\",\"replica\":0,\"accepted\":\"1\"}"));
        assertEquals(7_000, writer.sealedUntilMs(queue.settled()));
    }

    /** Rows of topics by the topic; an empty text is that of the others. */
    private Map<String, JsonNode> topicRows() throws IOException {
        Map<String, JsonNode> rows = new HashMap<>();
        for (Row row : queue.send(Integer.MAX_VALUE)) {
            JsonNode line = json.readTree(row.line());
            if (line.path("kind").asText().equals("topic")) {
                rows.put(line.path("topic").asText(), line);
            }
        }
        return rows;
    }
}
