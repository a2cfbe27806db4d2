package dev.kwitness.interceptors.agent;

/** The classes of kafka-clients that the agent changes. */
final class KafkaClasses {
    static final String PRODUCER_CONFIG = "org.apache.kafka.clients.producer.ProducerConfig";
    static final String CONSUMER_CONFIG = "org.apache.kafka.clients.consumer.ConsumerConfig";
    static final String ACCUMULATOR = "org.apache.kafka.clients.producer.internals.RecordAccumulator";

    private static final String PRODUCER_END = ".clients.producer.ProducerConfig";
    private static final String CONSUMER_END = ".clients.consumer.ConsumerConfig";

    private KafkaClasses() {
    }

    static boolean isConfiguration(String name) {
        return name.equals(PRODUCER_CONFIG) || name.equals(CONSUMER_CONFIG);
    }

    /** Whether it is kafka-clients under another name, as programs have it that bring their own. */
    static boolean isRelocated(String name) {
        return (name.endsWith(PRODUCER_END) || name.endsWith(CONSUMER_END)) && !isConfiguration(name);
    }
}
