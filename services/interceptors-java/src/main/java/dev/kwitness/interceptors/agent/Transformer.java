package dev.kwitness.interceptors.agent;

import dev.kwitness.interceptors.core.Log;
import dev.kwitness.interceptors.core.Reporting;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;

/** Looks at the names of classes as they are loaded; Byte Buddy is loaded with the first one of kafka-clients. */
final class Transformer implements ClassFileTransformer {
    @Override
    public byte[] transform(
            ClassLoader loader, String internalName, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (internalName == null || redefined != null || !mayBeWanted(internalName)) {
            return null;
        }
        String name = internalName.replace('/', '.');
        try {
            if (KafkaClasses.isConfiguration(name)) {
                return Rewriting.appending(name, bytes, loader);
            }
            if (name.equals(KafkaClasses.ACCUMULATOR)) {
                return Rewriting.showingRecords(name, bytes, loader);
            }
            if (KafkaClasses.isRelocated(name)) {
                Reporting.notIntercepted("relocated");
            }
        } catch (Throwable defect) {
            Log.warn(name + " is left as it is: " + defect);
            Reporting.notIntercepted("unknown_version");
        }
        return null;
    }

    private static boolean mayBeWanted(String internalName) {
        return internalName.endsWith("/ProducerConfig") || internalName.endsWith("/ConsumerConfig")
            || internalName.endsWith("/RecordAccumulator");
    }
}
