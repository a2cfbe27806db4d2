package dev.kwitness.interceptors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class TopicRecordsTest {
    private static final Predicate<String> ORDERS = "orders"::equals;

    private final ConsumerRecords<String, String> records = records("orders 0 1", "payments 0 2", "orders 1 3");

    @Test
    void onlyRecordsOfSelectedTopicsAreTaken() throws Exception {
        assertEquals("[orders-0@1, orders-1@3]", shown(TopicRecords.of(records, ORDERS)));
        assertTrue(TopicRecords.of(records, "shipments"::equals).isEmpty());
        assertSame(records, TopicRecords.of(records, topic -> true));
    }

    @Test
    void whatWasMadeOfThemIsInTheirPlaces() throws Exception {
        ConsumerRecords<String, String> changed = records("orders 1 7", "payments 0 8");

        assertEquals("[orders-1@7, payments-0@2]", shown(TopicRecords.with(records, ORDERS, changed)));
        assertEquals("[payments-0@2]", shown(TopicRecords.with(records, ORDERS, ConsumerRecords.empty())));
    }

    /** Each has a topic, a partition and an offset. */
    private static ConsumerRecords<String, String> records(String... all) {
        Map<TopicPartition, List<ConsumerRecord<String, String>>> byPlace = new LinkedHashMap<>();
        for (String one : all) {
            String[] words = one.split(" ");
            TopicPartition place = new TopicPartition(words[0], Integer.parseInt(words[1]));
            byPlace.put(place, Collections.singletonList(
                new ConsumerRecord<>(place.topic(), place.partition(), Long.parseLong(words[2]), null, "value")));
        }
        return new ConsumerRecords<>(byPlace);
    }

    private static String shown(ConsumerRecords<String, String> records) {
        List<String> all = new ArrayList<>();
        records.forEach(one -> all.add(one.topic() + "-" + one.partition() + "@" + one.offset()));
        Collections.sort(all);
        // No partition is there without records.
        assertEquals(new HashSet<>(all).size(), records.partitions().size(), all.toString());
        return all.toString();
    }
}
