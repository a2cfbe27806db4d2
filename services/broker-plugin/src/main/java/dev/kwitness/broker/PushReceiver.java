package dev.kwitness.broker;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What runs on a request handler thread: copy the push and put it into the queue.
 *
 * <p>It never throws: the broker would answer INVALID_RECORD, upon which Java clients stop telemetry until restart.
 */
final class PushReceiver {
    private static final Logger LOG = LoggerFactory.getLogger(PushReceiver.class);
    private static final byte[] EMPTY = new byte[0];

    private final PushQueue queue;
    private final ClientIdentities identities;
    private final Set<String> listeners = ConcurrentHashMap.newKeySet();

    PushReceiver(PushQueue queue, ClientIdentities identities) {
        this.queue = queue;
        this.identities = identities;
    }

    /** Copy a push; the interval is in milliseconds or {@link Push#INTERVAL_UNKNOWN}. */
    void receive(AuthorizableRequestContext context, ClientTelemetryPayload payload, int pushIntervalMs) {
        try {
            ClientIdentity identity = identities.read(context);
            if (identity.listener() != null) {
                listeners.add(identity.listener());
            }
            accept(new Push(
                System.currentTimeMillis(), payload.clientInstanceId().toString(), identity, pushIntervalMs,
                payload.isTerminating(), copy(payload.data())));
        } catch (RuntimeException defect) {
            queue.refuse(DropReason.INTERNAL);
            LOG.error("A push could not be copied and is lost; please report this defect", defect);
        }
    }

    /** Keep a copied push for the sender. */
    void accept(Push push) {
        queue.offer(push);
    }

    /** Listeners on which pushes arrived since the start. */
    Set<String> listeners() {
        return listeners;
    }

    private static byte[] copy(ByteBuffer data) {
        if (data == null || !data.hasRemaining()) {
            return EMPTY;
        }
        byte[] bytes = new byte[data.remaining()];
        // A duplicate, since other plugins read the same buffer.
        data.duplicate().get(bytes);
        return bytes;
    }
}
