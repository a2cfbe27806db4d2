package dev.kwitness.interceptors;

import java.util.Locale;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.protocol.Errors;

/** Why a record was given up, in words that all runtimes share. */
final class Reasons {
    private Reasons() {
    }

    static String of(Exception error) {
        if (error instanceof BufferExhaustedException) {
            return "queue_full";
        }
        if (error instanceof TimeoutException) {
            return "timed_out";
        }
        if (error instanceof SerializationException) {
            return "serialization";
        }
        if (error instanceof TransactionAbortedException) {
            return "purged";
        }
        Errors known = Errors.forException(error);
        if (known != Errors.UNKNOWN_SERVER_ERROR) {
            return known.name();
        }
        // Kafka has no class of its own for it.
        String message = error.getMessage() == null ? "" : error.getMessage().toLowerCase(Locale.ROOT);
        if (message.contains("more invalid records")) {
            // Of the same batch: brokers take all of one or none.
            return Errors.INVALID_RECORD.name();
        }
        return message.contains("closed") ? "closed" : "other";
    }
}
