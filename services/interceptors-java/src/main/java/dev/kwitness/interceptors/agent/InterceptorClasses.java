package dev.kwitness.interceptors.agent;

import dev.kwitness.interceptors.core.Reporting;
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
    private final Class<?> otherContract;
    private final Class<?> counting;

    private InterceptorClasses(Class<?> configuration) throws ReflectiveOperationException {
        boolean ofProducer = configuration.getName().equals(KafkaClasses.PRODUCER_CONFIG);
        ClassLoader kafka = configuration.getClassLoader();
        Class<?> producer = Class.forName("org.apache.kafka.clients.producer.ProducerInterceptor", false, kafka);
        Class<?> consumer = Class.forName("org.apache.kafka.clients.consumer.ConsumerInterceptor", false, kafka);
        contract = ofProducer ? producer : consumer;
        otherContract = ofProducer ? consumer : producer;
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

    /** The class that a profile names; null where it is for the other side, or cannot be used. */
    Class<?> custom(Reporting.Custom custom) {
        String missing = "";
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        for (ClassLoader loader : new ClassLoader[] {application, contract.getClassLoader()}) {
            try {
                Class<?> found = Class.forName(custom.className, false, loader);
                if (contract.isAssignableFrom(found)) {
                    return found;
                }
                if (otherContract.isAssignableFrom(found)) {
                    return null;
                }
                Reporting.unusable(custom.name, custom.className + " is no interceptor of Kafka's");
                return null;
            } catch (ClassNotFoundException | LinkageError notThere) {
                missing = notThere.toString();
            }
        }
        Reporting.unusable(custom.name, missing);
        return null;
    }
}
