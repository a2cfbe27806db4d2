package dev.kwitness.headers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class HeaderTypeTest {
    @Test
    void valuesAreOfTheTypesThatTheyAreOfElsewhere() throws IOException {
        Set<String> seen = new HashSet<>();
        for (JsonNode example : Vectors.read("header_types")) {
            String type = example.get("type").asText();
            byte[] value = Vectors.bytes(example.get("value_base64"));
            seen.add(type + example.get("right"));

            assertEquals(example.get("right").asBoolean(), HeaderType.hasType(type, value), example.toString());
        }
        assertEquals(2 * HeaderType.all().size() - 1, seen.size(), "anything is right for Bytes alone");
    }

    @Test
    void whatHasItsTypeIsDecodedAndAnythingElseIsRefused() throws IOException {
        for (JsonNode example : Vectors.read("header_types")) {
            HeaderType<?> type = HeaderType.all().get(example.get("type").asText());
            byte[] value = Vectors.bytes(example.get("value_base64"));
            if (example.get("right").asBoolean()) {
                type.decode(value);
            } else {
                assertThrows(HeaderValueException.class, () -> type.decode(value), example.toString());
            }
        }
    }

    @Test
    void aNullValueIsOfEachType() {
        HeaderType.all().keySet().forEach(type -> assertTrue(HeaderType.hasType(type, null)));
        assertThrows(IllegalArgumentException.class, () -> HeaderType.hasType("Float", null));
    }

    @Test
    void numbersHaveTheirHighestByteFirst() {
        assertArrayEquals(new byte[] {1, 2, 3, 4}, HeaderType.INT32.encode(0x01020304));
        assertArrayEquals(new byte[] {-1, -1, -1, -1, -1, -1, -1, -2}, HeaderType.INT64.encode(-2L));
        assertArrayEquals(new byte[] {0, 0, 1, 0, 0, 0, 0, 0}, HeaderType.TIMESTAMP.encode(1L << 40));
    }

    @Test
    void valuesComeBackAsTheyWere() {
        Random random = new Random(82);
        for (int round = 0; round < 2_000; round++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            String text = random.ints(random.nextInt(20), 0, Character.MAX_CODE_POINT + 1)
                .filter(point -> point < 0xd800 || point > 0xdfff)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
            UUID uuid = new UUID(random.nextLong(), random.nextLong());
            int small = random.nextInt();
            long large = random.nextLong();

            assertArrayEquals(bytes, HeaderType.BYTES.decode(HeaderType.BYTES.encode(bytes)));
            assertEquals(text, HeaderType.STRING.decode(HeaderType.STRING.encode(text)));
            assertEquals(uuid, HeaderType.UUID.decode(HeaderType.UUID.encode(uuid)));
            assertEquals(uuid, HeaderType.UUID.decode(uuid.toString().getBytes(UTF_8)));
            assertEquals(small, HeaderType.INT32.decode(HeaderType.INT32.encode(small)));
            assertEquals(large, HeaderType.INT64.decode(HeaderType.INT64.encode(large)));
            assertEquals(large, HeaderType.TIMESTAMP.decode(HeaderType.TIMESTAMP.encode(large)));
        }
    }

    @Test
    void noBytesMakeAnyTypeThrowAnythingButThatTheyAreOfAnother() {
        Random random = new Random(7);
        String alphabet = "{}[]\",:\\/ue+-.019tfn \t\n\0é";
        for (int round = 0; round < 20_000; round++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(12); length > 0; length--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            byte[] bytes = text.toString().getBytes(UTF_8);
            if (bytes.length > 0 && random.nextInt(4) == 0) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            for (HeaderType<?> type : HeaderType.all().values()) {
                if (type.isRight(bytes)) {
                    type.decode(bytes);
                } else {
                    assertThrows(HeaderValueException.class, () -> type.decode(bytes));
                }
            }
        }
    }

    @Test
    void whatIsNoValueOfATypeIsRefusedBeforeItIsSent() {
        assertThrows(HeaderValueException.class, () -> HeaderType.STRING.encode("\ud83d"));
        assertThrows(HeaderValueException.class, () -> HeaderType.STRING.encode(null));
        assertThrows(HeaderValueException.class, () -> HeaderType.JSON.encode("{a:1}"));
        assertEquals("{\"a\": [1]}", HeaderType.JSON.decode(HeaderType.JSON.encode("{\"a\": [1]}")));
    }

    @Test
    void aCodecOfOnesOwnIsOfTheTypeBytes() {
        HeaderType<BigDecimal> price = HeaderType.bytes(new Price());

        assertEquals("Bytes", price.name());
        assertEquals(new BigDecimal("17.90"), price.decode(price.encode(new BigDecimal("17.90"))));
    }

    @Test
    void errorsNameInputReasonAndRemedyAndNeverTheValue() {
        HeaderType<BigDecimal> price = HeaderType.bytes(new Price());

        byte[] secret = "secret".getBytes(UTF_8);
        String ofCodec = assertThrows(HeaderValueException.class, () -> price.decode(secret)).getMessage();
        String ofType = assertThrows(HeaderValueException.class, () -> HeaderType.INT32.decode(secret)).getMessage();

        assertEquals("a value of 6 bytes is no Int32 (it is of another type): have its producer write a whole number "
            + "in 4 bytes, the highest first, or register the header with the type that it has", ofType);
        assertTrue(ofCodec.contains("NumberFormatException"), ofCodec);
        assertFalse(ofCodec.contains("secret"), ofCodec);
    }

    private static final class Price implements HeaderCodec<BigDecimal> {
        @Override
        public byte[] encode(BigDecimal value) {
            return value.toString().getBytes(UTF_8);
        }

        @Override
        public BigDecimal decode(byte[] bytes) {
            String text = new String(bytes, UTF_8);
            try {
                return new BigDecimal(text);
            } catch (NumberFormatException wrong) {
                throw (NumberFormatException) new NumberFormatException("no price: " + text).initCause(wrong);
            }
        }
    }
}
