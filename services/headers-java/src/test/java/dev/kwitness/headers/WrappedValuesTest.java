package dev.kwitness.headers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class WrappedValuesTest {
    private static final HeaderKey<String> APP = HeaderKey.of("app.name", HeaderType.STRING, 7);

    @Test
    void valuesAreUnwrappedAsElsewhere() throws IOException {
        WrappedValues values = values();
        for (JsonNode example : Vectors.section("header_sets", "wrapped")) {
            Unwrapped unwrapped = values.unwrap(Vectors.bytes(example.get("value_base64")));

            assertArrayEquals(Vectors.bytes(example.get("payload_base64")), unwrapped.payload(), example.toString());
            assertArrayEquals(Vectors.bytes(example.get("set_base64")), unwrapped.set(), example.toString());
        }
    }

    @Test
    void whatHasThePrefixAndNoSetIsRefusedForTheReasonItIsRefusedForElsewhere() throws IOException {
        WrappedValues values = values();
        for (JsonNode example : Vectors.section("header_sets", "wrapped_refused")) {
            byte[] bytes = Vectors.bytes(example.get("bytes_base64"));
            HeaderSetException refused = assertThrows(
                HeaderSetException.class, () -> values.unwrap(bytes), example.toString());

            assertEquals(example.get("reason").asText(), refused.reason(), example.toString());
        }
    }

    @Test
    void whatIsWrappedIsUnwrapped() throws IOException {
        WrappedValues values = values();
        Random random = new Random(82);
        for (int round = 0; round < 2_000; round++) {
            Map<Integer, byte[]> headers = new TreeMap<>();
            for (int count = random.nextInt(3); count > 0; count--) {
                headers.put(random.nextInt(Integer.MAX_VALUE), bytes(random, 5));
            }
            byte[] payload = random.nextInt(3) == 0 ? values.wrap(headers, bytes(random, 4)) : bytes(random, 30);
            Unwrapped unwrapped = values.unwrap(values.wrap(headers, payload));

            assertArrayEquals(payload, unwrapped.payload());
            assertArrayEquals(headers.isEmpty() ? null : HeaderSet.encode(headers), unwrapped.set());
        }
    }

    @Test
    void headersBeforeThePayloadAreReadAsTheRecordsOwnAndGiveWayToThose() throws IOException {
        byte[] value = values().wrap(Collections.singletonMap(APP.id(), "old".getBytes(UTF_8)), new byte[0]);
        Headers none = new RecordHeaders();
        Headers own = new RecordHeaders();
        own.add(APP.name(), "own".getBytes(UTF_8));

        assertEquals("old", values().unwrap(value).reader(none).get(APP));
        assertEquals("own", values().unwrap(value).reader(own).get(APP));
        assertEquals("own", values().unwrap(null).reader(own).get(APP));
    }

    @Test
    void anEmptyPrefixIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new WrappedValues(new byte[0]));
    }

    private static WrappedValues values() throws IOException {
        return new WrappedValues(Vectors.bytes(Vectors.read("header_sets").get("magic_base64")));
    }

    private static byte[] bytes(Random random, int most) {
        byte[] bytes = new byte[random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }
}
