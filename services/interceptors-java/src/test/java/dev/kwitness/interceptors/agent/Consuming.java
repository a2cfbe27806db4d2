package dev.kwitness.interceptors.agent;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** A part of an application, loaded beside the kafka-clients that it was compiled with. */
public final class Consuming {
    private Consuming() {
    }

    /** The topics of which an application gets records of two, and how many places it is told to go on at. */
    @SuppressWarnings("unchecked")
    public static String throughInterceptor(Class<?> ours) throws Exception {
        ConsumerInterceptor<Object, Object> interceptor =
            (ConsumerInterceptor<Object, Object>) ours.getDeclaredConstructor().newInstance();
        interceptor.configure(Collections.singletonMap("client.id", "consuming"));
        Map<TopicPartition, List<ConsumerRecord<Object, Object>>> all = new HashMap<>();
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
        for (String topic : new String[] {"orders", "payments"}) {
            TopicPartition place = new TopicPartition(topic, 0);
            all.put(place, Collections.singletonList(new ConsumerRecord<>(topic, 0, 6, "key", "value")));
            next.put(place, new OffsetAndMetadata(7));
        }

        ConsumerRecords<Object, Object> records = interceptor.onConsume(records(all, next));
        interceptor.onCommit(next);
        interceptor.close();

        Set<String> topics = new TreeSet<>();
        records.forEach(record -> topics.add(record.topic()));
        return topics + " " + next(records).size();
    }

    @SuppressWarnings("unchecked")
    private static ConsumerRecords<Object, Object> records(
            Map<TopicPartition, List<ConsumerRecord<Object, Object>>> all, Map<TopicPartition, OffsetAndMetadata> next)
            throws ReflectiveOperationException {
        try {
            return ConsumerRecords.class.getConstructor(Map.class, Map.class).newInstance(all, next);
        } catch (NoSuchMethodException before4) {
            return new ConsumerRecords<>(all);
        }
    }

    private static Collection<?> next(ConsumerRecords<?, ?> records) throws ReflectiveOperationException {
        try {
            return ((Map<?, ?>) ConsumerRecords.class.getMethod("nextOffsets").invoke(records)).entrySet();
        } catch (NoSuchMethodException before4) {
            return Collections.emptySet();
        }
    }
}
