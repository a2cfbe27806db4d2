package dev.kwitness.interceptors.agent;

import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** Classes of an application that the profile names, each by its name in small letters. */
public final class Customs {
    private Customs() {
    }

    /** What all have in common. */
    private abstract static class Passing implements ProducerInterceptor<Object, Object> {
        @Override
        public ProducerRecord<Object, Object> onSend(ProducerRecord<Object, Object> record) {
            return record;
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception error) {
        }

        @Override
        public void close() {
        }

        @Override
        public void configure(Map<String, ?> configuration) {
        }
    }

    /** Adds a header that is named by its setting. */
    public static final class Marking extends Passing {
        private String mark;

        @Override
        public void configure(Map<String, ?> configuration) {
            mark = (String) configuration.get("mark");
        }

        @Override
        public ProducerRecord<Object, Object> onSend(ProducerRecord<Object, Object> record) {
            record.headers().add(mark, new byte[0]);
            return record;
        }
    }

    /** Keeps everything that a consumer gets from the application. */
    public static final class Keeping implements ConsumerInterceptor<Object, Object> {
        @Override
        public ConsumerRecords<Object, Object> onConsume(ConsumerRecords<Object, Object> records) {
            return ConsumerRecords.empty();
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {
            if (!offsets.keySet().stream().allMatch(place -> place.topic().startsWith("orders"))) {
                throw new AssertionError("offsets of other topics");
            }
        }

        @Override
        public void close() {
        }

        @Override
        public void configure(Map<String, ?> configuration) {
        }
    }

    /** Throws in every hook what Kafka itself would hand to the application. */
    public static final class Failing extends Passing {
        @Override
        public ProducerRecord<Object, Object> onSend(ProducerRecord<Object, Object> record) {
            throw new AssertionError("on purpose");
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception error) {
            throw new AssertionError("on purpose");
        }

        @Override
        public void close() {
            throw new AssertionError("on purpose");
        }
    }

    /** Returns nothing. */
    public static final class Nothing extends Passing {
        @Override
        public ProducerRecord<Object, Object> onSend(ProducerRecord<Object, Object> record) {
            return null;
        }
    }

    /** Sends records elsewhere. */
    public static final class Elsewhere extends Passing {
        @Override
        public ProducerRecord<Object, Object> onSend(ProducerRecord<Object, Object> record) {
            return new ProducerRecord<>("elsewhere", record.value());
        }
    }

    /** Cannot be made. */
    public static final class Unmade extends Passing {
        public Unmade() {
            throw new AssertionError("on purpose");
        }
    }

    /** Cannot be configured. */
    public static final class Unconfigured extends Passing {
        @Override
        public void configure(Map<String, ?> configuration) {
            throw new AssertionError("on purpose");
        }
    }

    /** Is none at all. */
    public static final class Foreign {
    }
}
