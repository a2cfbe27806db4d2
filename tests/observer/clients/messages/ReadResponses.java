import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/** Says what Kafka's own classes read in responses: a line of key, version and hexadecimal frame, a line of JSON. */
public final class ReadResponses {
    private ReadResponses() {
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split(" ");
            ApiMessageType type = ApiMessageType.fromApiKey(Short.parseShort(parts[0]));
            System.out.println(read(type, Short.parseShort(parts[1]), HexFormat.of().parseHex(parts[2])));
        }
    }

    private static JsonNode read(ApiMessageType type, short version, byte[] frame) throws ReflectiveOperationException {
        ByteBufferAccessor bytes = new ByteBufferAccessor(ByteBuffer.wrap(frame));
        new ResponseHeaderData(bytes, type.responseHeaderVersion(version));
        ApiMessage message = type.newResponse();
        message.read(bytes, version);
        ObjectNode body = (ObjectNode) Class.forName(message.getClass().getName() + "JsonConverter")
            .getMethod("write", message.getClass(), short.class, boolean.class).invoke(null, message, version, false);
        ArrayNode tags = body.putArray("unknownTags");
        message.unknownTaggedFields().forEach(tag -> tags.add(tag.tag()));
        return body.put("unread", bytes.remaining());
    }
}
