package dev.kwitness.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.requests.ApiVersionsRequest;

/**
 * Writes one JSON object a line, compressed: requests and responses of every API and version, as frames with headers
 * and as what Kafka's converters say is in them; then names of software, and whether a broker accepts them.
 */
public final class Vectors {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int FIRST_UNKNOWN_TAG = 1000;
    private static final String[] SOFTWARE = {
        "", "a", "7", "-", ".", "apache-kafka-java", "4.3.1", "a.", ".a", "a-", "-a", "a--b..c", "a b", "a_b", "a/b",
        "\u00e4", "a\u00e4b", "a\n", "\na", "a\u0000", "confluent-kafka-python", "2.16.1-rdkafka-2.16.0", "A9", "9Z", "a+b",
    };

    private final Writer out;

    private Vectors(Writer out) {
        this.out = out;
    }

    /** Takes the file to write. */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        try (Writer out = new OutputStreamWriter(
                new GZIPOutputStream(Files.newOutputStream(Path.of(arguments[0]))), StandardCharsets.UTF_8)) {
            Vectors vectors = new Vectors(out);
            for (ApiMessageType type : ApiMessageType.values()) {
                int last = type.highestSupportedVersion(false); // without one that may still change
                for (int version = type.lowestSupportedVersion(); version <= last; version++) {
                    vectors.message(type, (short) version, true);
                    vectors.message(type, (short) version, false);
                }
            }
            vectors.software();
        }
    }

    private void message(ApiMessageType type, short version, boolean isRequest)
            throws IOException, ReflectiveOperationException {
        String name = (isRequest ? type.newRequest() : type.newResponse()).getClass().getSimpleName();
        Definition definition = new Definition(name.substring(0, name.length() - "Data".length()));
        Class<?> converter = Class.forName(ApiMessageType.class.getPackageName() + "." + name + "JsonConverter");
        for (Example.Kind kind : Example.Kind.values()) {
            Random random = new Random(name.hashCode() * 31L + version * 7L + kind.ordinal());
            JsonNode example = new Example(definition, version, kind, random).message();
            ApiMessage message = (ApiMessage) converter.getMethod("read", JsonNode.class, short.class)
                .invoke(null, example, version);
            boolean hasUnknown = definition.isFlexible(version) && kind == Example.Kind.FULL;
            if (hasUnknown) {
                addUnknown(message, random);
            }
            // Records as a size only: the converter does not write their bytes.
            ObjectNode body = (ObjectNode) converter
                .getMethod("write", message.getClass(), short.class, boolean.class)
                .invoke(null, message, version, false);
            if (hasUnknown) {
                ArrayNode tags = body.putArray("unknownTags");
                message.unknownTaggedFields().forEach(tag -> tags.addArray().add(tag.tag()).add(tag.data()));
            }
            ObjectNode line = MAPPER.createObjectNode();
            line.put("key", type.apiKey()).put("version", version).put("isRequest", isRequest);
            int correlation = random.nextInt();
            String clientId = random.nextInt(4) == 0 ? null : "client-" + random.nextInt(100);
            short headerVersion = isRequest ? type.requestHeaderVersion(version) : type.responseHeaderVersion(version);
            line.put("headerVersion", headerVersion).put("correlation", correlation);
            ApiMessage header;
            if (isRequest) {
                line.put("clientId", headerVersion == 0 ? null : clientId);
                header = new RequestHeaderData().setRequestApiKey(type.apiKey()).setRequestApiVersion(version)
                    .setCorrelationId(correlation).setClientId(headerVersion == 0 ? "" : clientId);
            } else {
                header = new ResponseHeaderData().setCorrelationId(correlation);
            }
            if (hasUnknown && headerVersion == (isRequest ? 2 : 1)) {
                addUnknown(header, random);
            }
            line.put("frame", join(bytes(header, headerVersion), bytes(message, version)));
            line.set("body", body);
            write(line);
        }
    }

    private void software() throws IOException {
        for (String text : SOFTWARE) {
            ApiVersionsRequestData data = new ApiVersionsRequestData().setClientSoftwareName(text).setClientSoftwareVersion("1");
            ObjectNode line = MAPPER.createObjectNode();
            write(line.put("software", text).put("isValid", new ApiVersionsRequest(data, (short) 3).isValid()));
        }
    }

    private void write(ObjectNode line) throws IOException {
        out.write(MAPPER.writeValueAsString(line));
        out.write('\n');
    }

    private static void addUnknown(ApiMessage message, Random random) {
        for (int number = FIRST_UNKNOWN_TAG; number < FIRST_UNKNOWN_TAG + 2; number++) {
            message.unknownTaggedFields().add(new RawTaggedField(number, Example.bytes(random)));
        }
    }

    private static byte[] bytes(ApiMessage message, short version) {
        ObjectSerializationCache sizes = new ObjectSerializationCache();
        ByteBuffer buffer = ByteBuffer.allocate(message.size(sizes, version));
        message.write(new ByteBufferAccessor(buffer), sizes, version);
        return buffer.array();
    }

    private static byte[] join(byte[] header, byte[] body) {
        return ByteBuffer.allocate(header.length + body.length).put(header).put(body).array();
    }
}
