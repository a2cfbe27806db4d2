package dev.kwitness.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Base64;
import java.util.Random;
import org.apache.kafka.common.Uuid;

/** Makes up a message that its definition allows, in the form that Kafka's JSON converters read. */
final class Example {
    /** What to make up where the definition leaves a choice. */
    enum Kind {
        /** Null wherever it is allowed, empty arrays, no tagged field. */
        EMPTY,
        /** Never null, two elements in every array, every tagged field. */
        FULL,
        /** Each choice by chance. */
        MIXED
    }

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String[] TEXTS = {"", "a", "orders", "kwitness.traffic", "\u00e4\u20ac\ud83d\ude00", "x".repeat(130)};

    /** One record in format 2; the classes that would write it are not in the same place in every version. */
    private static final byte[] BATCH = Base64.getDecoder().decode(
        "AAAAAAAAA+gAAABAAAAAAgLJSyOaAAAAAAAAAAABi8/laAAAAAGLz+VoAAAAAAAAABtYAA"
        + "MAAAAoAAAAARwAAAACAA52YWx1ZSAwAA==");

    private final Definition definition;
    private final short version;
    private final Kind kind;
    private final Random random;

    Example(Definition definition, short version, Kind kind, Random random) {
        this.definition = definition;
        this.version = version;
        this.kind = kind;
        this.random = random;
    }

    ObjectNode message() {
        return structure(definition.fields());
    }

    private ObjectNode structure(JsonNode fields) {
        ObjectNode result = JSON.objectNode();
        for (JsonNode field : fields) {
            boolean tagged = field.has("tag");
            if (Definition.contains(field.get("versions").asText(), version) && !(tagged && choose())) {
                String name = field.get("name").asText();
                result.set(Character.toLowerCase(name.charAt(0)) + name.substring(1), value(field));
            }
        }
        return result;
    }

    private JsonNode value(JsonNode field) {
        boolean nullable = Definition.contains(field.path("nullableVersions").asText(), version);
        if (nullable && choose()) {
            return JSON.nullNode();
        }
        if (!Definition.isArray(field)) {
            return element(field);
        }
        ArrayNode result = JSON.arrayNode();
        for (int left = kind == Kind.EMPTY ? 0 : kind == Kind.FULL ? 2 : random.nextInt(4); left > 0; left--) {
            result.add(element(field));
        }
        return result;
    }

    /** Whether to leave something out. */
    private boolean choose() {
        return kind == Kind.EMPTY || kind == Kind.MIXED && random.nextBoolean();
    }

    private JsonNode element(JsonNode field) {
        String type = Definition.elementType(field);
        return switch (type) {
            case "bool" -> JSON.booleanNode(random.nextBoolean());
            case "int8" -> JSON.numberNode((byte) random.nextInt());
            case "int16" -> JSON.numberNode((short) random.nextInt());
            case "uint16" -> JSON.numberNode(random.nextInt(1 << 16));
            case "int32" -> JSON.numberNode(random.nextInt());
            case "uint32" -> JSON.numberNode(random.nextLong(1L << 32));
            case "int64" -> JSON.numberNode(random.nextLong());
            case "float64" -> JSON.numberNode(random.nextInt() / 4.0); // the same in every notation
            case "uuid" -> JSON.textNode(new Uuid(random.nextLong(), random.nextLong()).toString());
            case "string" -> JSON.textNode(TEXTS[random.nextInt(TEXTS.length)]);
            case "bytes" -> JSON.binaryNode(bytes(random));
            case "records" -> JSON.binaryNode(records());
            default -> structure(definition.fields(field));
        };
    }

    /** No batch, one, or several. */
    private byte[] records() {
        byte[] result = new byte[random.nextInt(4) * BATCH.length];
        for (int place = 0; place < result.length; place += BATCH.length) {
            System.arraycopy(BATCH, 0, result, place, BATCH.length);
        }
        return result;
    }

    static byte[] bytes(Random random) {
        byte[] result = new byte[random.nextInt(40)];
        random.nextBytes(result);
        return result;
    }
}
