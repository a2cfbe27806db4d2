package dev.kwitness.interceptors;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/** What a consumer gets of some topics, apart from the rest. */
final class TopicRecords {
    /** From 4.0 on records say where the consumer goes on; both are null before. */
    private static final Constructor<?> WITH_NEXT_OFFSETS;
    private static final Method NEXT_OFFSETS;

    static {
        Constructor<?> constructor = null;
        Method method = null;
        try {
            method = ConsumerRecords.class.getMethod("nextOffsets");
            constructor = ConsumerRecords.class.getConstructor(Map.class, Map.class);
        } catch (NoSuchMethodException older) {
            method = null;
        }
        NEXT_OFFSETS = method;
        WITH_NEXT_OFFSETS = constructor;
    }

    private TopicRecords() {
    }

    /** Those of selected topics: the same object where that is all of them. */
    static <K, V> ConsumerRecords<K, V> of(ConsumerRecords<K, V> records, Predicate<String> selected)
            throws ReflectiveOperationException {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> kept = new LinkedHashMap<>();
        for (TopicPartition place : records.partitions()) {
            if (selected.test(place.topic())) {
                kept.put(place, records.records(place));
            }
        }
        return kept.size() == records.partitions().size() ? records : made(kept, records);
    }

    /** The records with others in the place of those of selected topics. */
    static <K, V> ConsumerRecords<K, V> with(
            ConsumerRecords<K, V> records, Predicate<String> selected, ConsumerRecords<K, V> others)
            throws ReflectiveOperationException {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> all = new LinkedHashMap<>();
        for (TopicPartition place : records.partitions()) {
            List<ConsumerRecord<K, V>> now = (selected.test(place.topic()) ? others : records).records(place);
            if (!now.isEmpty()) {
                all.put(place, now);
            }
        }
        return made(all, records);
    }

    @SuppressWarnings("unchecked")
    private static <K, V> ConsumerRecords<K, V> made(
            Map<TopicPartition, List<ConsumerRecord<K, V>>> records, ConsumerRecords<K, V> from)
            throws ReflectiveOperationException {
        return WITH_NEXT_OFFSETS == null ? new ConsumerRecords<>(records)
            : (ConsumerRecords<K, V>) WITH_NEXT_OFFSETS.newInstance(records, NEXT_OFFSETS.invoke(from));
    }
}
