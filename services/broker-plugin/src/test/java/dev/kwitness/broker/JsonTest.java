package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {
    @Test
    void membersAreSeparatedAndAbsentOnesLeftOut() {
        String text = Json.object(16, object -> object
            .put("a", "x").put("b", (String) null).put("c", 7).put("d", true)
            .putTexts("e", List.of("1", "2")).putTexts("f", List.of()).putNumbers("g", Map.of("h", 1L)));
        assertEquals("{\"a\":\"x\",\"c\":7,\"d\":true,\"e\":[\"1\",\"2\"],\"f\":[],\"g\":{\"h\":1}}", text);
    }

    @Test
    void whateverAClientCallsItselfIsEscaped() {
        String text = Json.object(16, object -> object.put("a", "\"\\\n\0\ud83d\ude00"));
        assertTrue(text.startsWith("{\"a\":\"\\\"\\\\\\u000a\\u0000\ud83d\ude00"), text);
        assertFalse(text.chars().anyMatch(c -> c < ' '), text);
    }

    @Test
    void aLoneSurrogateBecomesTheReplacementCharacter() {
        assertEquals("{\"a\":\"\\ufffdx\\ufffd\"}", Json.object(16, object -> object.put("a", "\ud83dx\ude00")));
    }

    @Test
    void aPushIsWrittenWithEveryKnownKey() {
        Push push = new Push(5, "id", TestPushes.ALICE, 5_000, true, new byte[] {1, 2, 3});
        push.number(9);
        assertEquals("{\"schema\":\"kwitness.pushes/1\",\"source\":\"cluster/1\",\"epoch\":1700000000000,"
            + "\"cluster_id\":\"cluster\",\"broker_id\":\"1\",\"plugin_version\":\"test\",\"kafka_version\":\"4.3.1\","
            + "\"pushes\":[{\"seq\":9,\"received_at_ms\":5,\"client_instance_id\":\"id\",\"client_id\":\"orders\","
            + "\"principal\":\"User:alice\",\"client_software_name\":\"apache-kafka-java\","
            + "\"client_software_version\":\"4.1.2\",\"client_address\":\"10.0.0.7\",\"listener\":\"PLAINTEXT\","
            + "\"terminating\":true,\"payload\":\"AQID\",\"client_source_port\":43210,\"push_interval_ms\":5000}]}",
            PushBatch.json(TestPushes.BROKER, List.of(push)));
    }

    @Test
    void unknownKeysAreAbsent() {
        ClientIdentity nobody = new ClientIdentity(null, null, null, null, null, ClientIdentity.PORT_UNKNOWN, null);
        Push push = new Push(5, "id", nobody, Push.INTERVAL_UNKNOWN, false, new byte[0]);
        String text = PushBatch.json(TestPushes.BROKER, List.of(push));
        assertTrue(text.endsWith("\"pushes\":[{\"seq\":0,\"received_at_ms\":5,\"client_instance_id\":\"id\","
            + "\"terminating\":false,\"payload\":\"\"}]}"), text);
    }

    @ParameterizedTest
    @CsvSource({"28b52ffd00, zstd", "04224d1864, lz4", "1f8b0800, gzip", "82534e4150505900, snappy"})
    void aPayloadThatTheBrokerLeftCompressedSaysSo(String bytes, String compression) {
        byte[] payload = new BigInteger(bytes, 16).toByteArray();
        byte[] unsigned = payload[0] == 0 ? Arrays.copyOfRange(payload, 1, payload.length) : payload;
        assertEquals(compression, PayloadCompression.of(unsigned));
    }

    @Test
    void anOtlpPayloadIsNotCompressed() {
        assertNull(PayloadCompression.of(new byte[] {0x0a, 0x12, 0x01}));
        assertNull(PayloadCompression.of(new byte[0]));
    }
}
