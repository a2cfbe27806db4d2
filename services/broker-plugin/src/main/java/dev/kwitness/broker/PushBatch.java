package dev.kwitness.broker;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The message {@code kwitness.pushes/1}: some pushes of one broker, in order. */
final class PushBatch {
    static final String PATH = "/v1/pushes";
    static final String SCHEMA = "kwitness.pushes/1";

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
            broker.write(object, SCHEMA);
            object.putObjects("pushes", bodies);
        });
    }

    private static void write(Json object, Push push) {
        ClientIdentity identity = push.identity();
        object.put("seq", push.sequence())
            .put("received_at_ms", push.receivedAtMs())
            .put("client_instance_id", push.clientInstanceId())
            .put("client_id", identity.clientId())
            .put("principal", identity.principal())
            .put("client_software_name", identity.softwareName())
            .put("client_software_version", identity.softwareVersion())
            .put("client_address", identity.address())
            .put("listener", identity.listener())
            .put("terminating", push.terminating())
            .put("payload", Base64.getEncoder().encodeToString(push.payload()));
        if (identity.port() != ClientIdentity.PORT_UNKNOWN) {
            object.put("client_source_port", identity.port());
        }
        if (push.pushIntervalMs() != Push.INTERVAL_UNKNOWN) {
            object.put("push_interval_ms", push.pushIntervalMs());
        }
    }
}
