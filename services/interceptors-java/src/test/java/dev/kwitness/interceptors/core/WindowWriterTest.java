package dev.kwitness.interceptors.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void rowsAndTotalsHaveHashesInPlaceOfValues(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("key");
        String lines = written(file);
        assertFalse(lines.contains("canary") || lines.contains("hash-"), "without a key what is hashed is dropped");

        Files.write(file, "a key of sixteen\n".getBytes(StandardCharsets.UTF_8));
        lines = written(file);

        byte[] key = "a key of sixteen".getBytes(StandardCharsets.UTF_8);
        assertFalse(lines.contains("canary") || lines.contains("a key of sixteen"));
        String client = IdentityPolicy.hash(key, "client_id", "canary-client");
        assertTrue(lines.contains("\"client_id\":\"" + client + "\""));
        assertTrue(lines.contains(IdentityPolicy.hash(key, "transactional_id", "canary-transaction")));
        assertEquals(5, lines.split(client, -1).length - 1, "in rows of two topics and the client, and in totals");
    }

    /** Everything that is made of a client with canaries, of whom the policy drops and hashes. */
    private String written(Path key) {
        Settings settings = ClientTest.settings(
            "{\"name\":\"a\",\"type\":\"Audit\"}", "\"identity\":{\"drop\":[\"group_instance_id\",\"group_id\"],"
            + "\"hash\":[\"client_id\",\"transactional_id\"],\"key_file\":\"" + key + "\"},");
        Client client = new Client(Side.PRODUCER, 1, new ClientIdentity(
            "canary-client", "canary-group", "canary-member", "canary-transaction", "2.8.2"));
        client.follow(new Plan(settings), System.currentTimeMillis());
        client.acknowledged("a", 0, 5, System.currentTimeMillis(), 1, 1);
        client.acknowledged("b", 0, 7, System.currentTimeMillis(), 1, 1);
        EventQueue rows = new EventQueue();
        new WindowWriter(new Source(1_000), rows).write(
            settings, Collections.singletonMap(client, client.close(Long.MAX_VALUE, Long.MAX_VALUE)));
        StringBuilder lines = new StringBuilder();
        rows.send(Integer.MAX_VALUE).forEach(row -> lines.append(new String(row.line(), StandardCharsets.UTF_8)));
        assertTrue(lines.length() > 0);
        return lines.toString();
    }

    @Test
    void headersHaveRowsAndASealOfTheirOwn() throws IOException {
        Settings settings = ClientTest.settings(
            "{\"name\":\"h\",\"type\":\"Headers\"}", "\"attributes\":{\"team\":\"shop\"},\"headers\":{"
            + "\"values_of\":[\"a\"],\"keys\":[{\"name\":\"a\",\"type\":\"String\",\"max_bytes\":1}]},");
        Client client = new Client(Side.PRODUCER, 1, new ClientIdentity("c", null, null, null, "2.8.2"));
        client.follow(new Plan(settings), System.currentTimeMillis());
        client.act(settings);
        JudgedHeaders record = client.headerSteps().judge("orders");
        record.add("a", new byte[] {'x', 'y'});
        record.add("b", null);
        client.judged(record);
        client.judged(client.headerSteps().judge("payments"));

        writer.write(settings, Collections.singletonMap(client, client.close(Long.MAX_VALUE, Long.MAX_VALUE)));

        Map<String, JsonNode> rows = new HashMap<>();
        JsonNode totals = null;
        for (Row row : queue.send(Integer.MAX_VALUE)) {
            JsonNode line = json.readTree(row.line());
            if (row.isTotals()) {
                totals = line;
            } else {
                assertEquals("headers", row.topic);
                rows.put(line.path("topic").asText() + " " + line.path("key").asText(), line);
            }
        }
        JsonNode known = rows.get("orders a");
        assertEquals("kwitness.headers/1", known.get("schema").asText());
        assertEquals("java", known.get("seen_by").asText());
        assertEquals("shop", known.at("/attributes/team").asText());
        assertEquals("c", known.get("client_id").asText());
        assertTrue(known.get("registered").asBoolean());
        assertEquals(1, known.get("records_passed").asLong());
        assertEquals(1, known.get("records_looked_at").asLong());
        assertEquals(1, known.get("headers").asLong());
        assertEquals(2, known.get("bytes").asLong());
        assertEquals(1, known.get("too_large").asLong());
        assertEquals("xy", known.at("/values/0/value").asText());
        assertFalse(rows.get("orders b").get("registered").asBoolean());
        assertFalse(rows.get("payments ").has("key"));
        assertEquals(1, rows.get("payments ").get("records_looked_at").asLong());
        assertEquals(3, rows.size());
        assertEquals(2, totals.get("headers").size());
        assertEquals(
            "{\"side\":\"producer\",\"topic\":\"orders\",\"key\":\"a\",\"client_id\":\"c\",\"registered\":true,"
            + "\"headers\":1,\"bytes\":2,\"problems\":{\"too_large\":1},\"removed\":0}",
            totals.at("/headers/0").toString());

        queue.settle(Verdicts.parse("{\"protocol\":2,\"collector\":\"n/c\",\"replica\":0,\"accepted\":\"1-4\"}"));
        JsonNode seal = json.readTree(queue.send(1).get(0).line());
        assertEquals("headers", seal.get("topic").asText());
        assertEquals(3, seal.get("count").asLong());
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
