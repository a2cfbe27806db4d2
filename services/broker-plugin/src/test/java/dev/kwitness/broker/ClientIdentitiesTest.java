package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.telemetry.ClientTelemetryPayload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientIdentitiesTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.1:9092-10.0.0.7:43210-0, 43210",
        "10.0.0.1:9092-10.0.0.7:43210-2-17, 43210",
        "0:0:0:0:0:0:0:1:9092-0:0:0:0:0:0:0:1:43210-0-3, 43210",
        "unexpected, -1",
        "10.0.0.1:9092-somewhere-0, -1",
        "10.0.0.1:9092-10.0.0.7:99999-0, -1",
        "'', -1",
    })
    void thePortIsReadFromTheConnectionId(String connectionId, int port) {
        assertEquals(port, ClientIdentities.remotePort(connectionId));
    }

    @Test
    void aBrokerThatPassesAnotherContextStillTellsThePrincipal() {
        ClientIdentities identities = new ClientIdentities();
        ClientIdentity identity = identities.read(new PlainContext());
        assertEquals("User:alice", identity.principal());
        assertEquals("127.0.0.1", identity.address());
        assertNull(identity.softwareName());
        assertEquals(ClientIdentity.PORT_UNKNOWN, identity.port());
        assertTrue(identities.incomplete());
    }

    @Test
    void aPushIsCopiedAndTheBrokersBufferLeftAsItWas() throws InterruptedException {
        PushQueue queue = new PushQueue(100_000, 10);
        ByteBuffer data = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}, 1, 2);
        new PushReceiver(queue, new ClientIdentities()).receive(new PlainContext(), payload(data), 5_000);
        data.put(1, (byte) 9);
        assertEquals(2, data.remaining());
        assertEquals(2, queue.take(1, 1, 0).get(0).payload()[0]);
    }

    @Test
    void aNullPayloadIsAnEmptyPush() throws InterruptedException {
        PushQueue queue = new PushQueue(100_000, 10);
        new PushReceiver(queue, new ClientIdentities()).receive(new PlainContext(), payload(null), 5_000);
        assertEquals(0, queue.take(1, 1, 0).get(0).payload().length);
    }

    @Test
    void aDefectNeverReachesTheBroker() {
        PushQueue queue = new PushQueue(100_000, 10);
        new PushReceiver(queue, new ClientIdentities()).receive(new PlainContext(), null, 5_000);
        assertEquals(Map.of(DropReason.INTERNAL, 1L), queue.ledger().dropped());
        assertTrue(TestPushes.balanced(queue.ledger()));
    }

    private static ClientTelemetryPayload payload(ByteBuffer data) {
        return new ClientTelemetryPayload() {
            @Override
            public Uuid clientInstanceId() {
                return Uuid.ONE_UUID;
            }

            @Override
            public boolean isTerminating() {
                return false;
            }

            @Override
            public String contentType() {
                return "OTLP";
            }

            @Override
            public ByteBuffer data() {
                return data;
            }
        };
    }

    /** A context as a later Kafka might pass it: the public interface and nothing more. */
    private static final class PlainContext implements AuthorizableRequestContext {
        @Override
        public String listenerName() {
            return "PLAINTEXT";
        }

        @Override
        public SecurityProtocol securityProtocol() {
            return SecurityProtocol.PLAINTEXT;
        }

        @Override
        public KafkaPrincipal principal() {
            return new KafkaPrincipal(KafkaPrincipal.USER_TYPE, "alice");
        }

        @Override
        public InetAddress clientAddress() {
            try {
                return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
            } catch (UnknownHostException impossible) {
                throw new IllegalStateException(impossible);
            }
        }

        @Override
        public int requestType() {
            return 72;
        }

        @Override
        public int requestVersion() {
            return 0;
        }

        @Override
        public String clientId() {
            return "orders";
        }

        @Override
        public int correlationId() {
            return 1;
        }
    }
}
