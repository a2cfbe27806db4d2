package dev.kwitness.headers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HeaderSetTest {
    @Test
    void setsHaveTheBytesThatTheyHaveElsewhere() throws IOException {
        for (JsonNode example : Vectors.section("header_sets", "sets")) {
            List<JsonNode> pairs = new ArrayList<>();
            example.get("headers").forEach(pairs::add);
            Collections.reverse(pairs);
            Map<Integer, byte[]> values = new LinkedHashMap<>();
            pairs.forEach(pair -> values.put(pair.get(0).asInt(), Vectors.bytes(pair.get(1))));
            byte[] bytes = Vectors.bytes(example.get("bytes_base64"));

            assertArrayEquals(bytes, HeaderSet.encode(values), example.toString());
            assertSame(values, HeaderSet.decode(bytes));
        }
    }

    @Test
    void whatIsNoSetIsRefusedForTheReasonItIsRefusedForElsewhere() throws IOException {
        for (JsonNode example : Vectors.section("header_sets", "refused")) {
            byte[] bytes = Vectors.bytes(example.get("bytes_base64"));
            HeaderSetException refused = assertThrows(
                HeaderSetException.class, () -> HeaderSet.decode(bytes), example.toString());

            assertEquals(example.get("reason").asText(), refused.reason(), example.toString());
        }
    }

    @Test
    void aReaderThatStopsEarlyReadsNoFurtherByte() throws IOException {
        for (JsonNode example : Vectors.section("header_sets", "partial")) {
            byte[] whole = Vectors.bytes(example.get("bytes_base64"));
            int read = example.get("bytes_read").asInt();
            HeaderSetReader reader = new HeaderSetReader(ByteBuffer.wrap(whole));

            assertArrayEquals(
                Vectors.bytes(example.get("value_base64")), reader.readUntil(example.get("id").asInt()),
                example.toString());
            assertEquals(read, reader.position(), example.toString());
        }
    }

    @Test
    void withoutTheBytesBehindItAnEarlyReaderFindsTheSame() {
        Random random = new Random(388);
        for (int round = 0; round < 2_000; round++) {
            SortedMap<Integer, byte[]> values = values(random);
            byte[] set = HeaderSet.encode(values);
            int wanted = random.nextInt(40);
            HeaderSetReader reader = new HeaderSetReader(ByteBuffer.wrap(set));
            byte[] found = reader.readUntil(wanted);
            // A buffer throws where somebody reads beyond its limit.
            ByteBuffer cut = ByteBuffer.wrap(set, 0, reader.position()).slice();

            assertArrayEquals(values.get(wanted), found);
            assertArrayEquals(found, new HeaderSetReader(cut).readUntil(wanted));
        }
    }

    @Test
    void aReaderGoesOnWhereItStopped() {
        SortedMap<Integer, byte[]> values = new TreeMap<>();
        Arrays.asList(1, 5, 9).forEach(id -> values.put(id, new byte[] {id.byteValue()}));
        ByteBuffer around = ByteBuffer.allocate(64);
        around.position(3);
        around.put(HeaderSet.encode(values)).flip().position(3);
        HeaderSetReader reader = new HeaderSetReader(around);

        assertNull(reader.readUntil(4));
        assertEquals(13, reader.position());
        assertArrayEquals(new byte[] {5}, reader.readUntil(5));
        assertThrows(IllegalArgumentException.class, () -> reader.readUntil(5));
        assertArrayEquals(new byte[] {9}, reader.readUntil(9));
        assertNull(reader.readUntil(10));
        assertEquals(3, around.position());
    }

    @Test
    void whoeverAsksAgainIsToldTheSame() {
        HeaderSetReader reader = new HeaderSetReader(ByteBuffer.wrap(new byte[] {0, 0, 0, 5, 0, 0, 0, 9, 1}));

        String first = assertThrows(HeaderSetException.class, () -> reader.readUntil(7)).getMessage();

        assertEquals(first, assertThrows(HeaderSetException.class, () -> reader.readUntil(7)).getMessage());
        assertEquals("9 bytes are no set of headers: at byte 4 header 5 has 9 bytes, of which 1 are; have what writes "
            + "them use HeaderSet or Python's encode_set, or read them as what they are", first);
    }

    @Test
    void setsComeBackAsTheyWere() {
        Random random = new Random(82);
        for (int round = 0; round < 2_000; round++) {
            SortedMap<Integer, byte[]> values = values(random);

            assertSame(values, HeaderSet.decode(HeaderSet.encode(values)));
        }
    }

    @Test
    void bytesAreASetThatIsWrittenTheSameOrAreRefused() {
        Random random = new Random(42);
        int taken = 0;
        for (int round = 0; round < 50_000; round++) {
            byte[] bytes = HeaderSet.encode(values(random));
            if (bytes.length > 0) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                bytes = Arrays.copyOf(bytes, random.nextInt(3) == 0 ? random.nextInt(bytes.length + 9) : bytes.length);
            }
            try {
                assertArrayEquals(bytes, HeaderSet.encode(HeaderSet.decode(bytes)));
                taken++;
            } catch (HeaderSetException refused) {
                assertEquals(-1, refused.getMessage().indexOf("null"));
            }
        }
        assertEquals(true, taken > 1_000 && taken < 49_000, taken + " of 50,000 were taken");
    }

    @Test
    void aNegativeIdIsNotWritten() {
        assertThrows(
            IllegalArgumentException.class, () -> HeaderSet.encode(Collections.singletonMap(-1, new byte[0])));
    }

    private static SortedMap<Integer, byte[]> values(Random random) {
        SortedMap<Integer, byte[]> values = new TreeMap<>();
        for (int count = random.nextInt(6); count > 0; count--) {
            byte[] value = new byte[random.nextInt(12)];
            random.nextBytes(value);
            values.put(random.nextInt(random.nextBoolean() ? 40 : Integer.MAX_VALUE), value);
        }
        return values;
    }

    private static void assertSame(Map<Integer, byte[]> expected, SortedMap<Integer, byte[]> found) {
        assertEquals(expected.keySet(), found.keySet());
        expected.forEach((id, value) -> assertArrayEquals(value, found.get(id)));
    }
}
