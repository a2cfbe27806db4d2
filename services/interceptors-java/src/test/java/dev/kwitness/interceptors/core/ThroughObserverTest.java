package dev.kwitness.interceptors.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ThroughObserverTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<Map<String, String>>() { };

    @Test
    void clientsConnectAsTheContractHasIt() throws IOException {
        JsonNode vectors = vectors("through_observer");
        assertFalse(vectors.get("clients").isEmpty());
        for (JsonNode example : vectors.get("clients")) {
            ThroughObserver through = through(vectors.get("observers").get(example.get("observer").asText()));

            ThroughObserver.Way way = through.way(JSON.convertValue(example.get("config"), TEXTS));

            assertEquals(JSON.convertValue(example.get("becomes"), TEXTS), way.changes, example.toString());
            assertEquals(example.get("reason").textValue(), way.reason, example.toString());
        }
    }

    @Test
    void serversMayBeAList() throws IOException {
        Map<String, Object> configuration = new HashMap<>();
        configuration.put("bootstrap.servers", Collections.singletonList("kafka:9092"));

        ThroughObserver.Way way = through(vectors("through_observer").at("/observers/with TLS")).way(configuration);

        assertEquals("127.0.0.1:19092", way.changes.get("bootstrap.servers"));
    }

    private static ThroughObserver through(JsonNode observer) throws IOException {
        ObjectNode settings = vectors("interceptor_settings").get("valid").get(0).get("settings").deepCopy();
        settings.set("through_observer", observer);
        return Settings.parse(settings.toString().getBytes(UTF_8)).throughObserver;
    }

    private static JsonNode vectors(String rule) throws IOException {
        return JSON.readTree(new File("../../contracts/vectors/" + rule + ".json"));
    }
}
