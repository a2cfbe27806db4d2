package dev.kwitness.interceptors.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Headers are judged, summed up and traced as in every other runtime. */
class HeaderVectorsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path VECTORS = Paths.get("../../contracts/vectors");

    @Test
    void valuesAreOfTheTypesThatTheyAreOfElsewhere() throws IOException {
        int judged = 0;
        for (JsonNode example : read("header_types")) {
            HeaderType type = null;
            for (HeaderType one : HeaderType.values()) {
                type = one.word.equals(example.get("type").asText()) ? one : type;
            }

            assertEquals(example.get("right").asBoolean(), type.has(bytes(example, "value_base64")),
                example.get("type") + ": " + example.get("why"));
            judged++;
        }
        assertEquals(197, judged);
    }

    @Test
    void headersAreJudgedAsElsewhere() throws IOException {
        int judged = 0;
        for (JsonNode example : read("header_rules").get("records")) {
            String name = example.get("name").asText();
            HeaderRules rules = ClientTest.settings(
                "{\"name\":\"h\",\"type\":\"Headers\"}", "\"headers\":" + example.get("rules") + ",").headers;
            JudgedHeaders record = new JudgedHeaders(rules, "orders");
            for (JsonNode header : example.get("headers")) {
                boolean removes = record.add(header.get("key").asText(), bytes(header, "value_base64"));

                assertEquals(header.get("removed").asBoolean(), removes, name + ": " + header);
            }
            record.end();

            List<String> missing = new ArrayList<>();
            for (int place = 0; place < record.judged().size(); place++) {
                JudgedHeaders.Judged one = record.judged().get(place);
                if (one.isMissing()) {
                    missing.add(one.key);
                } else {
                    verify(example.get("headers").get(place), one, name);
                    judged++;
                }
            }
            assertEquals(example.get("missing"), JSON.valueToTree(missing), name);
        }
        assertEquals(true, judged > 50);
    }

    private static void verify(JsonNode header, JudgedHeaders.Judged one, String name) {
        assertEquals(header.get("registered").asBoolean(), one.registered, name + ": " + header);
        List<String> problems = new ArrayList<>();
        for (HeaderProblem problem : HeaderProblem.values()) {
            if (problem.isIn(one.problems)) {
                problems.add(problem.word);
            }
        }
        assertEquals(header.get("problems"), JSON.valueToTree(problems), name + ": " + header);
        HeaderCounts counts = new HeaderCounts(true);
        if (one.countsValue) {
            counts.value(one.value);
        }
        String counted = counts.values.isEmpty() ? null : counts.values.keySet().iterator().next();
        assertEquals(header.get("counted_value").textValue(), counted, name + ": " + header);
    }

    @Test
    void checksumsAreThoseOfAllRuntimes() throws IOException {
        for (JsonNode example : read("header_checksums").get("checksums")) {
            assertArrayEquals(bytes(example, "checksum_base64"),
                Checksum.of(bytes(example, "key_base64"), bytes(example, "value_base64")),
                example.get("name").asText());
        }
    }

    @Test
    void tracesAreReadAsElsewhere() throws IOException {
        for (JsonNode example : read("traceparent").get("headers")) {
            Traceparent found = Traceparent.of(example.get("traceparent").asText().getBytes(UTF_8));
            if (example.get("trace_id").isNull()) {
                assertNull(found, example.toString());
            } else {
                assertNotNull(found, example.toString());
                assertEquals(example.get("trace_id").asText(), found.traceId, example.toString());
                assertEquals(example.get("parent_id").asText(), found.parentId, example.toString());
                assertEquals(example.get("sampled").asBoolean(), found.sampled, example.toString());
            }
        }
    }

    private static JsonNode read(String name) throws IOException {
        return JSON.readTree(VECTORS.resolve(name + ".json").toFile());
    }

    private static byte[] bytes(JsonNode example, String field) {
        JsonNode value = example.get(field);
        return value.isNull() ? null : Base64.getDecoder().decode(value.asText());
    }
}
