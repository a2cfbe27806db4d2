package dev.kwitness.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/** A message's definition, from the jar of Kafka's clients. */
final class Definition {
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(JsonParser.Feature.ALLOW_COMMENTS);

    private final JsonNode root;
    private final Map<String, JsonNode> structures = new HashMap<>();

    /** Reads the definition of a message such as ProduceRequest. */
    Definition(String message) {
        String name = "/common/message/" + message + ".json";
        try (InputStream in = org.apache.kafka.common.protocol.Message.class.getResourceAsStream(name)) {
            root = MAPPER.readTree(in);
        } catch (IOException error) {
            throw new UncheckedIOException("cannot read " + name, error);
        }
        root.path("commonStructs").forEach(one -> structures.put(one.get("name").asText(), one.get("fields")));
    }

    JsonNode fields() {
        return root.get("fields");
    }

    /** The fields of a structure, in place or shared; missing for other types. */
    JsonNode fields(JsonNode field) {
        if (field.has("fields")) {
            return field.get("fields");
        }
        JsonNode shared = structures.get(elementType(field));
        return shared == null ? field.path("fields") : shared;
    }

    boolean isFlexible(short version) {
        return contains(root.get("flexibleVersions").asText(), version);
    }

    static String elementType(JsonNode field) {
        String type = field.get("type").asText();
        return isArray(field) ? type.substring(2) : type;
    }

    static boolean isArray(JsonNode field) {
        return field.get("type").asText().startsWith("[]");
    }

    /** Whether a definition's {@code none}, {@code 3}, {@code 3+} or {@code 3-5} contains a version. */
    static boolean contains(String versions, short version) {
        if (versions.isEmpty() || versions.equals("none")) {
            return false;
        }
        if (versions.endsWith("+")) {
            return version >= Short.parseShort(versions.substring(0, versions.length() - 1));
        }
        String[] ends = versions.split("-");
        return version >= Short.parseShort(ends[0]) && version <= Short.parseShort(ends[ends.length - 1]);
    }
}
