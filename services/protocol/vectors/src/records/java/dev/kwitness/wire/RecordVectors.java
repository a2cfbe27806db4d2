package dev.kwitness.wire;

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
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.ControlRecordType;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.EndTransactionMarker;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.MemoryRecordsBuilder;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.TimestampType;

/**
 * Writes one JSON object a line, compressed: records of one partition as Kafka encodes them, and what Kafka counts in
 * them. Control batches are in no count.
 *
 * <p>It compiles against Kafka 3.9.2 alone: later versions have these classes elsewhere.
 */
public final class RecordVectors {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final long BASE_OFFSET = 1_000;
    private static final long TIMESTAMP = 1_700_000_000_000L;
    private static final long PRODUCER = 7_000;
    private static final short EPOCH = 3;
    private static final int SEQUENCE = 40;

    private final Writer out;

    private RecordVectors(Writer out) {
        this.out = out;
    }

    /** Takes the file to write. */
    public static void main(String[] arguments) throws IOException {
        try (Writer out = new OutputStreamWriter(
                new GZIPOutputStream(Files.newOutputStream(Path.of(arguments[0]))), StandardCharsets.UTF_8)) {
            RecordVectors vectors = new RecordVectors(out);
            for (byte magic = 0; magic <= RecordBatch.CURRENT_MAGIC_VALUE; magic++) {
                for (CompressionType codec : CompressionType.values()) {
                    if (magic == RecordBatch.CURRENT_MAGIC_VALUE || codec != CompressionType.ZSTD) {
                        vectors.ofFormat(magic, codec);
                    }
                }
            }
            vectors.markers();
            vectors.empty();
        }
    }

    private void ofFormat(byte magic, CompressionType codec) throws IOException {
        String name = "format " + magic + " " + codec.name;
        for (int count : new int[] {1, 3, 300}) {
            write(name + " of " + count, batch(magic, codec, TimestampType.CREATE_TIME, false, count, 1));
        }
        byte[] three = batch(magic, codec, TimestampType.CREATE_TIME, false, 3, 1);
        write(name + " twice", join(three, batch(magic, codec, TimestampType.CREATE_TIME, false, 5, 1)));
        write(name + " with gaps", batch(magic, codec, TimestampType.CREATE_TIME, false, 4, 3));
        if (magic > RecordBatch.MAGIC_VALUE_V0) {
            write(name + " stamped by the broker", batch(magic, codec, TimestampType.LOG_APPEND_TIME, false, 3, 1));
        }
        if (magic == RecordBatch.CURRENT_MAGIC_VALUE) {
            write(name + " with headers", headed(codec, 3));
            write(name + " with headers in 300", headed(codec, 300));
            byte[] transaction = batch(magic, codec, TimestampType.CREATE_TIME, true, 6, 1);
            write(name + " in a transaction", transaction);
            write(name + " in a transaction that ended", join(transaction, marker(ControlRecordType.COMMIT), three));
        }
        for (int length : new int[] {5, 16, 17, 30, 60, 61, three.length - 1}) {
            byte[] start = Arrays.copyOf(three, Math.min(length, three.length - 1));
            write(name + " cut off at " + length, join(three, start));
            write(name + " with nothing but " + length + " bytes", start);
        }
    }

    private void markers() throws IOException {
        for (ControlRecordType type : new ControlRecordType[] {ControlRecordType.COMMIT, ControlRecordType.ABORT}) {
            write("marker " + type, marker(type));
        }
    }

    /** What compaction leaves of a batch whose sequence numbers are still needed. */
    private void empty() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(buffer, RecordBatch.CURRENT_MAGIC_VALUE, PRODUCER, EPOCH, SEQUENCE, BASE_OFFSET,
            BASE_OFFSET + 9, 0, TimestampType.CREATE_TIME, TIMESTAMP, true, false);
        buffer.flip();
        write("compacted away", bytes(buffer));
    }

    private static byte[] batch(
            byte magic, CompressionType codec, TimestampType type, boolean isTransactional, int count, int step) {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        boolean isNewest = magic == RecordBatch.CURRENT_MAGIC_VALUE;
        MemoryRecordsBuilder builder = MemoryRecords.builder(buffer, magic, Compression.of(codec).build(), type,
            BASE_OFFSET, TIMESTAMP + 5_000, isNewest ? PRODUCER : RecordBatch.NO_PRODUCER_ID,
            isNewest ? EPOCH : RecordBatch.NO_PRODUCER_EPOCH, isNewest ? SEQUENCE : RecordBatch.NO_SEQUENCE,
            isTransactional, 2);
        for (int number = 0; number < count; number++) {
            long timestamp = magic == RecordBatch.MAGIC_VALUE_V0 ? RecordBatch.NO_TIMESTAMP : TIMESTAMP + number * 10L;
            byte[] value = ("value " + number).getBytes(StandardCharsets.UTF_8);
            builder.appendWithOffset(BASE_OFFSET + (long) number * step, timestamp, new byte[] {(byte) number}, value);
        }
        return bytes(builder.build().buffer());
    }

    /** Records with up to five headers: an empty one, null, bytes that are no text, and a key that comes twice. */
    private static byte[] headed(CompressionType codec, int count) {
        Header[] all = {
            new RecordHeader("tenant", "acme".getBytes(StandardCharsets.UTF_8)),
            new RecordHeader("", new byte[0]),
            new RecordHeader("traceparent", null),
            new RecordHeader("sch\u00e9ma", new byte[] {(byte) 0xff, 0, 1}),
            new RecordHeader("tenant", new byte[200]),
        };
        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 16), RecordBatch.CURRENT_MAGIC_VALUE,
            Compression.of(codec).build(), TimestampType.CREATE_TIME, BASE_OFFSET, TIMESTAMP, PRODUCER, EPOCH, SEQUENCE, false, 2);
        for (int number = 0; number < count; number++) {
            byte[] value = number % 2 == 0 ? null : ("value " + number).getBytes(StandardCharsets.UTF_8);
            Header[] headers = Arrays.copyOf(all, number % (all.length + 1));
            builder.appendWithOffset(BASE_OFFSET + number, TIMESTAMP + number * 10L, null, value, headers);
        }
        return bytes(builder.build().buffer());
    }

    private static byte[] marker(ControlRecordType type) {
        EndTransactionMarker marker = new EndTransactionMarker(type, 1);
        return bytes(MemoryRecords.withEndTransactionMarker(BASE_OFFSET + 6, TIMESTAMP, 2, PRODUCER, EPOCH, marker).buffer());
    }

    private void write(String name, byte[] records) throws IOException {
        ObjectNode line = MAPPER.createObjectNode().put("name", name).put("records", records);
        long[] codecs = new long[CompressionType.values().length];
        long batches = 0;
        long counted = 0;
        long unknown = 0;
        long size = 0;
        long transactional = 0;
        long transactionalRecords = 0;
        Long last = null;
        Long min = null;
        Long max = null;
        for (RecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(records)).batches()) {
            if (batch.isControlBatch()) {
                continue;
            }
            batches++;
            size += batch.sizeInBytes();
            codecs[batch.compressionType().id]++;
            Integer count = count(batch);
            if (count == null) {
                unknown++;
            } else {
                counted += count;
            }
            if (batch.isTransactional()) {
                transactional++;
                transactionalRecords += count == null ? 0 : count;
            }
            last = batch.lastOffset();
            long earliest = earliest(batch);
            if (earliest >= 0) {
                min = min == null ? earliest : Math.min(min, earliest);
            }
            if (batch.maxTimestamp() >= 0) {
                max = max == null ? batch.maxTimestamp() : Math.max(max, batch.maxTimestamp());
            }
        }
        line.put("batches", batches).put("counted", counted).put("unknown", unknown).put("bytes", size);
        line.put("transactional", transactional).put("transactionalRecords", transactionalRecords);
        ArrayNode perCodec = line.putArray("codecs");
        for (long codec : codecs) {
            perCodec.add(codec);
        }
        ArrayNode headers = headers(records);
        if (!headers.isEmpty()) {
            line.set("headers", headers);
        }
        line.put("last", last).put("min", min).put("max", max);
        out.write(MAPPER.writeValueAsString(line));
        out.write('\n');
    }

    /** Keys and values of all headers, in their order. */
    private static ArrayNode headers(byte[] records) {
        ArrayNode all = MAPPER.createArrayNode();
        for (RecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(records)).batches()) {
            if (batch.magic() == RecordBatch.CURRENT_MAGIC_VALUE && !batch.isControlBatch()) {
                for (Record record : batch) {
                    for (Header header : record.headers()) {
                        all.addArray().add(header.key()).add(header.value());
                    }
                }
            }
        }
        return all;
    }

    /** How many records, or null where only decompressing tells. */
    private static Integer count(RecordBatch batch) {
        if (batch.countOrNull() != null || batch.isCompressed()) {
            return batch.countOrNull();
        }
        int count = 0;
        for (Record ignored : batch) {
            count++;
        }
        return count;
    }

    /** The earliest timestamp that is told without decompressing; negative where none is. */
    private static long earliest(RecordBatch batch) {
        if (batch.timestampType() == TimestampType.LOG_APPEND_TIME) {
            return batch.maxTimestamp();
        }
        if (batch instanceof DefaultRecordBatch) {
            return ((DefaultRecordBatch) batch).baseTimestamp();
        }
        return batch.isCompressed() ? RecordBatch.NO_TIMESTAMP : batch.maxTimestamp();
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] result = new byte[buffer.remaining()];
        buffer.duplicate().get(result);
        return result;
    }

    private static byte[] join(byte[]... parts) {
        ByteBuffer result = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
        for (byte[] part : parts) {
            result.put(part);
        }
        return result.array();
    }
}
