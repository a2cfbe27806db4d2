package dev.kwitness.interceptors.agent;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** The interceptors for one side of one kafka-clients; kept as long as its class of configuration is. */
final class InterceptorClasses {
    private static final String PACKAGE = "dev.kwitness.interceptors.";
    private static final ClassValue<InterceptorClasses> KNOWN = new ClassValue<InterceptorClasses>() {
        @Override
        protected InterceptorClasses computeValue(Class<?> configuration) {
            try {
                return new InterceptorClasses(configuration);
            } catch (ReflectiveOperationException | LinkageError unfit) {
                throw new IllegalStateException("no interceptors fit " + configuration, unfit);
            }
        }
    };

    private final Class<?> contract;
    private final Class<?> counting;

    private InterceptorClasses(Class<?> configuration) throws ReflectiveOperationException {
        boolean ofProducer = configuration.getName().equals(KafkaClasses.PRODUCER_CONFIG);
        ClassLoader kafka = configuration.getClassLoader();
        String part = ofProducer ? "producer.ProducerInterceptor" : "consumer.ConsumerInterceptor";
        contract = Class.forName("org.apache.kafka.clients." + part, false, kafka);
        String name = PACKAGE + (ofProducer ? "KwitnessProducerInterceptor" : "KwitnessConsumerInterceptor");
        counting = Class.forName(name, true, new InterceptorLoader(kafka));
    }

    static InterceptorClasses of(Class<?> configuration) {
        return KNOWN.get(configuration);
    }

    /** The class that counts. */
    Class<?> counting() {
        return counting;
    }

    /** Whether it has every method that this version of the interface needs. */
    boolean fit() {
        for (Method wanted : contract.getMethods()) {
            try {
                Method had = counting.getMethod(wanted.getName(), wanted.getParameterTypes());
                if (Modifier.isAbstract(had.getModifiers())) {
                    return false;
                }
            } catch (NoSuchMethodException missing) {
                return false;
            }
        }
        return true;
    }
}
