package dev.kwitness.interceptors.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Paths;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Keys of compact sets are evaluated, counted and removed as in every other runtime. */
class HeaderSetsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void keysOfSetsAreEvaluatedAndRemovedAsElsewhere() throws IOException {
        JsonNode examples = JSON.readTree(Paths.get("../../contracts/vectors/header_rules.json").toFile()).get("sets");
        assertTrue(examples.size() > 20);
        for (JsonNode example : examples) {
            String name = example.get("name").asText();
            JudgedHeaders record = new JudgedHeaders(rules(example.get("rules").toString()), "orders");
            ArrayNode others = JSON.createArrayNode();
            for (JsonNode header : example.get("headers")) {
                String text = header.get("value_base64").textValue();
                if (record.add(header.get("key").asText(), text == null ? null : Base64.getDecoder().decode(text))) {
                    record.removed();
                } else {
                    others.add(header);
                }
            }
            List<byte[]> sets = record.sets();
            if (sets != null) {
                record.setsReplaced();
            }

            assertEquals(example.get("left"), sets == null ? others : replaced(others, sets), name);
            assertEquals(byKey(example.get("counted")), byKey(counted(record)), name);
        }
    }

    @Test
    void keysBeyondTheBoundOfARecordAreNotEvaluatedAndNoneIsMissing() {
        HeaderRules rules = rules("{\"keys\":[{\"name\":\"last\",\"type\":\"String\",\"id\":2147483647,"
            + "\"required\":true}],\"unregistered\":\"Deny\"}");
        byte[] half = set(HeaderSetReader.MOST_KEYS / 2, 0);
        JudgedHeaders within = new JudgedHeaders(rules, "orders");
        JudgedHeaders beyond = new JudgedHeaders(rules, "orders");
        for (int sets = 0; sets < 2; sets++) {
            within.add(HeaderSetReader.HEADER, half);
            beyond.add(HeaderSetReader.HEADER, half);
        }
        beyond.add(HeaderSetReader.HEADER, set(1, 0));
        within.end();
        beyond.end();

        assertEquals(HeaderSetReader.MOST_KEYS + 2 + 1, within.judged().size());
        assertEquals(HeaderSetReader.MOST_KEYS + 3, beyond.judged().size());
        assertTrue(within.judged().get(within.judged().size() - 1).isMissing());
        JudgedHeaders.Judged last = beyond.judged().get(beyond.judged().size() - 1);
        assertEquals(HeaderSetReader.HEADER, last.key);
        assertEquals(HeaderProblem.TOO_LARGE.bit(), last.problems);
        assertEquals(0, beyond.sets().size());
    }

    @Test
    void aSetOf64KibIsEvaluatedWithAnythingBehindIt() {
        HeaderRules rules = rules("{\"keys\":[{\"name\":\"a\",\"type\":\"Bytes\",\"id\":0}]}");
        byte[] large = ByteBuffer.allocate(65_536).put(set(248, 256)).array();
        JudgedHeaders record = new JudgedHeaders(rules, "orders");
        record.add(HeaderSetReader.HEADER, large);
        record.end();

        assertEquals(249, record.judged().size());
        assertEquals(HeaderProblem.WRONG_TYPE.bit(), record.judged().get(0).problems);
        assertNull(record.sets());
    }

    @Test
    void aReaderStaysWhereASetEnds() {
        HeaderSetReader reader = new HeaderSetReader(new byte[9], 5);

        assertTrue(reader.next());
        assertFalse(reader.next() || reader.next());
        assertEquals(1, reader.read());
    }

    private static HeaderRules rules(String json) {
        return ClientTest.settings("{\"name\":\"h\",\"type\":\"Headers\"}", "\"headers\":" + json + ",").headers;
    }

    private static byte[] set(int keys, int bytes) {
        ByteBuffer set = ByteBuffer.allocate(keys * (2 * Integer.BYTES + bytes));
        for (int key = 0; key < keys; key++) {
            set.putInt(key).putInt(bytes).put(new byte[bytes]);
        }
        return set.array();
    }

    /** Headers as a producer sends them once its sets were replaced. */
    private static ArrayNode replaced(ArrayNode others, List<byte[]> sets) {
        ArrayNode left = JSON.createArrayNode();
        for (JsonNode header : others) {
            if (!header.get("key").asText().equals(HeaderSetReader.HEADER)) {
                left.add(header);
            }
        }
        for (byte[] set : sets) {
            left.addObject().put("key", HeaderSetReader.HEADER)
                .put("value_base64", Base64.getEncoder().encodeToString(set));
        }
        return left;
    }

    private static ArrayNode counted(JudgedHeaders record) {
        HeaderTally tally = new HeaderTally();
        record.end();
        tally.add(record);
        ArrayNode all = JSON.createArrayNode();
        tally.topics.get("orders").keys.forEach((key, counts) -> {
            ObjectNode row = all.addObject().put("key", key).put("registered", counts.registered)
                .put("headers", counts.headers).put("bytes", counts.bytes).put("removed", counts.removed);
            ObjectNode problems = row.putObject("problems");
            for (HeaderProblem problem : HeaderProblem.values()) {
                if (counts.problems[problem.ordinal()] > 0) {
                    problems.put(problem.word, counts.problems[problem.ordinal()]);
                }
            }
            ObjectNode values = row.putObject("values");
            counts.values.forEach(values::put);
        });
        return all;
    }

    /** Rows as text, with their fields in one order. */
    private static Map<String, String> byKey(JsonNode rows) {
        Map<String, String> found = new TreeMap<>();
        for (JsonNode row : rows) {
            StringBuilder text = new StringBuilder();
            for (String field : new String[] {"registered", "headers", "bytes", "removed", "problems", "values"}) {
                text.append(field).append(' ').append(row.get(field)).append('\n');
            }
            found.put(row.get("key").asText(), text.toString());
        }
        return found;
    }
}
