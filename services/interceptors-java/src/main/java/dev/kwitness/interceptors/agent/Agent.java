package dev.kwitness.interceptors.agent;

import dev.kwitness.interceptors.core.Log;
import dev.kwitness.interceptors.core.Reporting;
import java.lang.instrument.Instrumentation;

/** Where Java starts the agent: {@code -javaagent:/kwitness/java/kwitness-interceptors.jar}. */
public final class Agent {
    private Agent() {
    }

    /** Prepare kafka-clients for interceptors, unless {@code KWITNESS_OFF} is 1 or no settings are named. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        try {
            if (Reporting.isOff() || !Reporting.hasSettings()) {
                return;
            }
            for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
                if (KafkaClasses.isConfiguration(loaded.getName())) {
                    Reporting.notIntercepted("opened_before");
                }
            }
            instrumentation.addTransformer(new Transformer());
        } catch (Throwable defect) {
            Log.warn("nothing is intercepted: " + defect);
        }
    }
}
