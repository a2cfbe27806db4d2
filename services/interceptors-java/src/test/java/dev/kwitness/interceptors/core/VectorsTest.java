package dev.kwitness.interceptors.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class VectorsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path VECTORS = Paths.get("../../contracts/vectors");

    @Test
    void boundsOfSketchesAreThoseOfAllRuntimes() throws IOException {
        JsonNode bounds = read("sketch_bounds").get("bounds");
        long[] ours = Distribution.table();

        assertEquals(bounds.size(), ours.length);
        for (int place = 0; place < ours.length; place++) {
            assertEquals(bounds.get(place).asLong(), ours[place]);
        }
    }

    @Test
    void identitiesHaveTheHashesOfTheCollector() throws IOException {
        JsonNode vectors = read("identity_hashes");

        for (JsonNode example : vectors.get("hashes")) {
            byte[] key = example.get("key").asText().getBytes(UTF_8);
            String field = example.get("field").asText();
            String hash = IdentityPolicy.hash(key, field, example.get("value").asText());
            assertEquals(example.get("hash").asText(), hash, field);
        }
        for (JsonNode hashed : vectors.get("stays")) {
            assertEquals(hashed.asText(), IdentityPolicy.hash(new byte[16], "client_id", hashed.asText()));
        }
    }

    @Test
    void boundsOfHistogramsAreThoseOfTheCollector() throws IOException {
        JsonNode aggregates = read("interception_aggregates");

        assertArrayEquals(longs(aggregates.get("latency_bounds_us")), Totals.LATENCY_BOUNDS_US);
        assertArrayEquals(longs(aggregates.get("size_bounds_bytes")), Totals.SIZE_BOUNDS_BYTES);
    }

    @Test
    void valuesFillTheBucketsThatTheyFillElsewhere() throws IOException {
        for (JsonNode example : read("interception_aggregates").get("sketches")) {
            Distribution distribution = new Distribution();
            example.get("values").forEach(value -> distribution.add(value.asLong()));
            JsonNode written = JSON.readTree(Json.object(64, object -> distribution.write(object, "sum")));
            long[] histogram = new long[Totals.LATENCY_BOUNDS_US.length + 1];
            distribution.addTo(histogram, Totals.LATENCY_BOUNDS_US);

            assertEquals(example.get("buckets"), written.get("buckets"), example.toString());
            assertEquals(example.get("sum").asLong(), written.get("sum").asLong(), example.toString());
            assertArrayEquals(longs(example.get("by_latency_bounds")), histogram, example.toString());
        }
    }

    @Test
    void smallValuesAreFoundWithoutSearchingInTheSameBuckets() {
        long[] bounds = Distribution.table();
        for (long value = 0; value < 10_000; value++) {
            int bucket = 0;
            while (bounds[bucket] < value) {
                bucket++;
            }
            assertEquals(bucket, Distribution.bucket(value), "value " + value);
        }
    }

    @Test
    void offsetsBecomeTheRangesThatTheyBecomeElsewhere() throws IOException {
        for (JsonNode example : read("interception_aggregates").get("offset_ranges")) {
            OffsetRanges ranges = new OffsetRanges();
            example.get("added").forEach(one -> ranges.add(one.get(0).asLong(), one.get(1).asLong()));
            List<List<Long>> kept = new ArrayList<>();
            ranges.kept().forEach(range -> kept.add(Arrays.asList(range[0], range[1])));
            List<List<Long>> expected = new ArrayList<>();
            example.get("ranges").forEach(
                one -> expected.add(Arrays.asList(one.get(0).asLong(), one.get(1).asLong())));

            assertEquals(expected, kept, example.toString());
            assertEquals(example.get("merged").asLong(), ranges.merged(), example.toString());
        }
    }

    @Test
    void aKeyFillsTheRegisterThatItFillsElsewhere() throws IOException {
        for (JsonNode example : read("interception_aggregates").get("hashes")) {
            DistinctKeys keys = new DistinctKeys();
            keys.add(Base64.getDecoder().decode(example.get("key").asText()));
            byte[] image = keys.image();
            byte[] registers = Arrays.copyOfRange(image, 40, image.length);
            byte[] expected = new byte[DistinctKeys.REGISTERS];
            if (!example.get("slot").isNull()) {
                expected[example.get("slot").asInt()] = (byte) example.get("value").asInt();
            }

            assertArrayEquals(expected, registers, example.toString());
        }
    }

    @Test
    void imagesOfDistinctKeysAreByteForByteTheSameElsewhere() throws IOException {
        for (JsonNode example : read("interception_aggregates").get("distinct_keys")) {
            DistinctKeys whole = new DistinctKeys();
            for (JsonNode range : example.get("ranges")) {
                DistinctKeys part = new DistinctKeys();
                for (int number = range.get(0).asInt(); number < range.get(1).asInt(); number++) {
                    part.add(Integer.toString(number).getBytes(UTF_8));
                }
                whole.merge(part);
            }

            String name = example.get("name").asText();
            assertEquals(example.get("image").asText(), Base64.getEncoder().encodeToString(whole.image()), name);
            assertEquals(example.get("estimate").asLong(), whole.estimate(), name);
        }
    }

    private static JsonNode read(String name) throws IOException {
        return JSON.readTree(VECTORS.resolve(name + ".json").toFile());
    }

    private static long[] longs(JsonNode numbers) {
        long[] all = new long[numbers.size()];
        for (int place = 0; place < all.length; place++) {
            all[place] = numbers.get(place).asLong();
        }
        return all;
    }
}
