package dev.kwitness.headers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.SimpleRecord;
import org.junit.jupiter.api.Test;

class RecordHeadersTest {
    private static final HeaderKey<String> APP = HeaderKey.of("app.name", HeaderType.STRING, 1_245_184);
    private static final HeaderKey<Long> PLACED = HeaderKey.of("placed", HeaderType.TIMESTAMP, 1_245_185);
    private static final HeaderKey<UUID> ORDER = HeaderKey.of("order.id", HeaderType.UUID);

    @Test
    void whatAProducerSetsAConsumerGets() {
        UUID order = UUID.randomUUID();
        for (boolean compact : Arrays.asList(false, true)) {
            Headers headers = new ProducerRecord<>("orders", "key", "value").headers();
            writer(headers, compact).set(PLACED, 7L).set(APP, "shop").set(ORDER, order).set(PLACED, 8L);
            HeaderReader reader = HeaderReader.of(headers);

            assertEquals("shop", reader.get(APP));
            assertEquals(8L, reader.get(PLACED));
            assertEquals(order, reader.get(ORDER));
            assertEquals(compact ? 2 : 3, headers.toArray().length);
        }
    }

    @Test
    void withoutHeadersTheRecordHasTheBytesThatItWouldHaveWithoutUs() {
        byte[] plain = produced(new RecordHeaders());
        for (boolean compact : Arrays.asList(false, true)) {
            Headers untouched = new RecordHeaders();
            writer(untouched, compact).remove(APP).reader().get(APP);
            Headers emptied = new RecordHeaders();
            writer(emptied, compact).set(APP, "shop").set(PLACED, 7L).remove(APP).remove(PLACED);
            Headers written = new RecordHeaders();
            writer(written, compact).set(APP, "shop");

            assertArrayEquals(plain, produced(untouched));
            assertArrayEquals(plain, produced(emptied));
            assertFalse(Arrays.equals(plain, produced(written)));
        }
    }

    @Test
    void aConsumersHeadersAreAsTheyWereWhateverBecomesOfTheRecords() {
        byte[] bytes = "shop".getBytes(UTF_8);
        Headers headers = new RecordHeaders();
        headers.add(APP.name(), bytes);
        HeaderKey<byte[]> raw = HeaderKey.of(APP.name(), HeaderType.BYTES);
        HeaderReader reader = HeaderReader.of(headers);

        bytes[0] = 'X';
        reader.get(raw)[0] = 'X';
        headers.remove(APP.name());

        assertEquals("shop", reader.get(APP));
        assertTrue(reader.has(APP));
    }

    @Test
    void aRecordThatWasSentCannotBeChanged() {
        RecordHeaders headers = new RecordHeaders();
        headers.setReadOnly();

        assertThrows(IllegalStateException.class, () -> HeaderWriter.of(headers).set(APP, "shop"));
    }

    @Test
    void aKeyHasOneValueWhereverItWas() {
        Headers headers = new RecordHeaders();
        headers.add(APP.name(), "old".getBytes(UTF_8)).add("other", null).add(APP.name(), "older".getBytes(UTF_8));

        HeaderWriter.compact(headers).set(APP, "first");
        assertEquals(Arrays.asList("other", HeaderSet.HEADER), names(headers));
        HeaderWriter.of(headers).set(APP, "second");

        assertEquals(Arrays.asList("other", APP.name()), names(headers));
        assertEquals("second", HeaderReader.of(headers).get(APP));
    }

    @Test
    void absentAndNullAreToldApart() {
        Headers headers = new RecordHeaders();
        headers.add(PLACED.name(), null);
        HeaderReader reader = HeaderReader.of(headers);

        assertEquals("none", reader.get(APP, "none"));
        assertNull(reader.get(PLACED, 7L));
        assertTrue(reader.has(PLACED));
        assertFalse(reader.has(APP));
    }

    @Test
    void theLastOfSeveralHeadersCounts() {
        Headers headers = new RecordHeaders();
        headers.add(APP.name(), "first".getBytes(UTF_8)).add(APP.name(), "last".getBytes(UTF_8));

        assertEquals("last", HeaderReader.of(headers).get(APP));
    }

    @Test
    void aValueOfAnotherTypeIsRefusedWithTheHeadersName() {
        Headers headers = new RecordHeaders();
        headers.add(PLACED.name(), "today".getBytes(UTF_8));

        HeaderReader reader = HeaderReader.of(headers);
        String message = assertThrows(HeaderValueException.class, () -> reader.get(PLACED)).getMessage();

        assertEquals("header placed (1245185): a value of 5 bytes is no Timestamp (it is of another type): have its "
            + "producer write milliseconds since 1970 in 8 bytes, the highest first, or register the header with the "
            + "type that it has", message);
        assertThrows(HeaderValueException.class, () -> HeaderWriter.of(headers).set(APP, null));
    }

    @Test
    void aSetThatIsNoneIsReadAsFarAsItHasToBeAndNeverWrittenOver() {
        byte[] set = HeaderSet.encode(Collections.singletonMap(APP.id(), "shop".getBytes(UTF_8)));
        Headers headers = new RecordHeaders();
        headers.add(HeaderSet.HEADER, Arrays.copyOf(set, set.length + 1));

        assertEquals("shop", HeaderReader.of(headers).get(APP));
        assertThrows(HeaderSetException.class, () -> HeaderReader.of(headers).get(PLACED));
        assertThrows(HeaderSetException.class, () -> HeaderWriter.compact(headers).set(PLACED, 7L));
        assertThrows(HeaderSetException.class, () -> HeaderWriter.of(headers).set(APP, "other"));
        assertEquals(Collections.singletonList(HeaderSet.HEADER), names(headers));
    }

    @Test
    void keysAreWhatTheyAreMadeOf() {
        assertEquals(APP, HeaderKey.of("app.name", HeaderType.STRING, 1_245_184));
        assertFalse(APP.equals(HeaderKey.of("app.name", HeaderType.STRING)));
        assertEquals("app.name (1245184)", APP.toString());
        assertEquals("order.id", ORDER.toString());
        assertThrows(IllegalStateException.class, ORDER::id);
        assertThrows(IllegalArgumentException.class, () -> HeaderKey.of("x", HeaderType.STRING, -1));
        assertThrows(IllegalArgumentException.class, () -> HeaderKey.of("", HeaderType.STRING));
    }

    private static HeaderWriter writer(Headers headers, boolean compact) {
        return compact ? HeaderWriter.compact(headers) : HeaderWriter.of(headers);
    }

    /** The batch as the client sends it. */
    private static byte[] produced(Headers headers) {
        SimpleRecord record = new SimpleRecord(
            1_767_225_600_000L, "key".getBytes(UTF_8), "value".getBytes(UTF_8), headers.toArray());
        ByteBuffer batch = MemoryRecords.withRecords(CompressionType.NONE, record).buffer();
        byte[] bytes = new byte[batch.remaining()];
        batch.get(bytes);
        return bytes;
    }

    private static List<String> names(Iterable<Header> headers) {
        List<String> names = new ArrayList<>();
        headers.forEach(one -> names.add(one.key()));
        return names;
    }
}
