package dev.kwitness.broker;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The message {@value Contract#SCHEMA_PUSHES}: some pushes of one broker, in order. */
final class PushBatch {
    private PushBatch() {
    }

    static String json(BrokerIdentity broker, List<Push> pushes) {
        int size = 512;
        for (Push push : pushes) {
            size += push.sizeInBytes() + push.payload().length / 3 + 256;
        }
        List<Json.Body> bodies = new ArrayList<>(pushes.size());
        for (Push push : pushes) {
            bodies.add(object -> write(object, push));
        }
        return Json.object(size, object -> {
            broker.write(object, Contract.SCHEMA_PUSHES);
            object.putObjects(Contract.KEY_PUSHES, bodies);
        });
    }

    private static void write(Json object, Push push) {
        ClientIdentity identity = push.identity();
        object.put(Contract.KEY_SEQ, push.sequence())
            .put(Contract.KEY_RECEIVED_AT_MS, push.receivedAtMs())
            .put(Contract.KEY_CLIENT_INSTANCE_ID, push.clientInstanceId())
            .put(Contract.KEY_CLIENT_ID, identity.clientId())
            .put(Contract.KEY_PRINCIPAL, identity.principal())
            .put(Contract.KEY_CLIENT_SOFTWARE_NAME, identity.softwareName())
            .put(Contract.KEY_CLIENT_SOFTWARE_VERSION, identity.softwareVersion())
            .put(Contract.KEY_CLIENT_ADDRESS, identity.address())
            .put(Contract.KEY_LISTENER, identity.listener())
            .put(Contract.KEY_TERMINATING, push.terminating())
            .put(Contract.KEY_PAYLOAD_COMPRESSION, PayloadCompression.of(push.payload()))
            .put(Contract.KEY_PAYLOAD, Base64.getEncoder().encodeToString(push.payload()));
        if (identity.port() != ClientIdentity.PORT_UNKNOWN) {
            object.put(Contract.KEY_CLIENT_SOURCE_PORT, identity.port());
        }
        if (push.pushIntervalMs() != Push.INTERVAL_UNKNOWN) {
            object.put(Contract.KEY_PUSH_INTERVAL_MS, push.pushIntervalMs());
        }
    }
}
