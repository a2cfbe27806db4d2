package dev.kwitness.interceptors.agent;

import java.util.Map;
import net.bytebuddy.asm.Advice;

/**
 * Copied into the constructors {@code ProducerConfig(Map)} and {@code ConsumerConfig(Map)}.
 *
 * <p>Only Java's own classes can be named in it: kafka-clients' loader need not see ours.
 */
final class ConfigurationAdvice {
    private ConfigurationAdvice() {
    }

    @Advice.OnMethodEnter(suppress = Throwable.class)
    @SuppressWarnings("unchecked")
    static void enter(
            @Advice.Origin Class<?> type, @Advice.Argument(value = 0, readOnly = false) Map<String, Object> settings)
            throws ReflectiveOperationException {
        settings = (Map<String, Object>) ClassLoader.getSystemClassLoader()
            .loadClass("dev.kwitness.interceptors.agent.Appending").getMethod("to", Class.class, Map.class)
            .invoke(null, type, settings);
    }
}
