package dev.kwitness.interceptors.agent;

import java.util.function.BiConsumer;
import net.bytebuddy.asm.Advice;

/** Copied into {@code RecordAccumulator.append}. */
final class AppendAdvice {
    /** The static field of the accumulator with what gets topic and key; null while nobody wants them. */
    static final String FIELD = "kwitness$keys";

    private AppendAdvice() {
    }

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(
            @Advice.FieldValue(FIELD) BiConsumer<String, byte[]> keys, @Advice.Argument(0) String topic,
            @Advice.Argument(3) byte[] key) {
        if (keys != null) {
            keys.accept(topic, key);
        }
    }
}
