package dev.kwitness.headers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Paths;
import java.util.Base64;

/** The examples that every language runs. */
final class Vectors {
    private Vectors() {
    }

    static JsonNode read(String name) throws IOException {
        return new ObjectMapper().readTree(Paths.get("../../contracts/vectors", name + ".json").toFile());
    }

    /** Examples of one section, of which there are some. */
    static JsonNode section(String name, String section) throws IOException {
        JsonNode examples = read(name).get(section);
        if (examples.isEmpty()) {
            throw new IllegalStateException(name + " has no examples of " + section);
        }
        return examples;
    }

    /** Bytes of a text in base64; null for null. */
    static byte[] bytes(JsonNode text) {
        return text.isNull() ? null : Base64.getDecoder().decode(text.asText());
    }
}
