package dev.kwitness.interceptors.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SettingsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void whatTheOperatorWritesIsRead() throws IOException {
        JsonNode everything = vectors().get("valid").get(0).get("settings");
        Settings settings = parse(everything);

        assertEquals(everything.get("cluster_id").asText(), settings.clusterId);
        assertEquals(everything.get("interceptors").size(), settings.interceptors.size());
        assertEquals("shop.masking:Mask", settings.first("Custom").className);
        assertEquals("card", settings.first("Custom").settings.get("mask.fields"));
        assertEquals(60_000, settings.first("Cardinality").windowMs);
        assertEquals("shop", settings.attributes.get("team"));
        assertEquals(2, settings.collector.replicas);
        assertEquals("Deployment", settings.workload.get("kind"));
        assertEquals("shop.trace", settings.first("Tracing").header);
        assertEquals("shop.checksum", settings.first("Checksum").header);
        assertEquals(
            everything.get("interceptors").findValues("stamps").get(0).size(), settings.first("Stamp").stamps.size());
        assertEquals(HeaderPolicy.DENY, settings.headers.of("shop.stage").policy);
        assertTrue(settings.headers.of("shop.token").secret);
        assertEquals("shop.", settings.headers.of("shop.other").name);
        assertEquals(HeaderPolicy.WARN, settings.headers.of("other").policy);
    }

    @Test
    void whatIsLeftOutHasTheStandardValue() throws IOException {
        for (JsonNode example : vectors().get("defaults")) {
            Settings settings = parse(example.get("settings"));
            JsonNode means = example.get("means");

            assertEquals(means.get("window_ms").asLong(), settings.windowMs);
            assertEquals(means.at("/limits/topics").asInt(), settings.mostTopics);
            assertEquals(means.at("/limits/partitions").asInt(), settings.mostPartitions);
            assertEquals(means.at("/limits/clients").asInt(), settings.mostClients);
            assertEquals(means.at("/limits/queue_bytes").asLong(), settings.queueBytes);
            assertEquals(means.at("/interceptors/0/window_ms").asLong(), settings.first("Cardinality").windowMs);
        }
    }

    @Test
    void aChecksumHasAHeaderOfOursWhereNoneIsNamed() {
        Settings settings = ClientTest.settings(
            "{\"name\":\"c\",\"type\":\"Checksum\"},{\"name\":\"t\",\"type\":\"Tracing\"}", "");

        assertEquals("kwitness.checksum", settings.first("Checksum").header);
        assertNull(settings.first("Tracing").header);
    }

    @Test
    void whatIsRefusedElsewhereIsRefusedWithTheField() throws IOException {
        JsonNode vectors = vectors();
        for (JsonNode example : vectors.get("refused")) {
            ObjectNode changed = vectors.get("valid").get(0).get("settings").deepCopy();
            changed.setAll((ObjectNode) example.get("change"));
            IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> parse(changed), example.toString());

            assertTrue(refused.getMessage().startsWith(example.get("field").asText()), refused.getMessage());
        }
    }

    @Test
    void whereEventsGoIsSaidEvenIfThatIsNowhere() throws IOException {
        ObjectNode changed = vectors().get("valid").get(0).get("settings").deepCopy();
        changed.remove("collector");

        assertThrows(IllegalArgumentException.class, () -> parse(changed));
        assertNull(parse(changed.putNull("collector")).collector);
    }

    @Test
    void topicsAreSelectedAsElsewhere() throws IOException {
        JsonNode vectors = vectors();
        for (JsonNode example : vectors.get("selected")) {
            ObjectNode changed = vectors.get("valid").get(0).get("settings").deepCopy();
            changed.set("topics", example.get("topics"));

            assertEquals(example.get("selected").asBoolean(), parse(changed).selects(example.get("topic").asText()),
                example.toString());
        }
    }

    private static JsonNode vectors() throws IOException {
        return JSON.readTree(new File("../../contracts/vectors/interceptor_settings.json"));
    }

    private static Settings parse(JsonNode settings) {
        return Settings.parse(settings.toString().getBytes(UTF_8));
    }
}
