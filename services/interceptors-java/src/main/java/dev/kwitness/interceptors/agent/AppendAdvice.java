package dev.kwitness.interceptors.agent;

import java.util.function.BiConsumer;
import net.bytebuddy.asm.Advice;

/** Copied into {@code RecordAccumulator.append}. */
final class AppendAdvice {
    /** The static field of the accumulator with what gets key and value; null while nobody wants them. */
    static final String FIELD = "kwitness$appended";

    private AppendAdvice() {
    }

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(
            @Advice.FieldValue(FIELD) BiConsumer<byte[], byte[]> appended, @Advice.Argument(3) byte[] key,
            @Advice.Argument(4) byte[] value) {
        if (appended != null) {
            appended.accept(key, value);
        }
    }
}
