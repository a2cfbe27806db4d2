package dev.kwitness.broker;

import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the client's identity from the context of a push.
 *
 * <p>The public interface has no software name, version or port. Brokers 3.7 to 4.3 pass their internal
 * {@link RequestContext}, which has; should a broker pass something else, or the class change, the rest remains.
 */
final class ClientIdentities {
    private static final Logger LOG = LoggerFactory.getLogger(ClientIdentities.class);

    private final AtomicBoolean incomplete = new AtomicBoolean();

    ClientIdentity read(AuthorizableRequestContext context) {
        KafkaPrincipal principal = context.principal();
        InetAddress address = context.clientAddress();
        String name = null;
        String version = null;
        int port = ClientIdentity.PORT_UNKNOWN;
        try {
            if (context instanceof RequestContext) {
                RequestContext internal = (RequestContext) context;
                ClientInformation software = internal.clientInformation;
                if (software != null) {
                    name = known(software.softwareName());
                    version = known(software.softwareVersion());
                }
                port = remotePort(internal.connectionId);
            } else {
                fallBack("it passes a " + context.getClass().getName());
            }
        } catch (LinkageError changed) {
            fallBack(changed.toString());
        }
        return new ClientIdentity(
            context.clientId(), principal == null ? null : principal.toString(), name, version,
            address == null ? null : address.getHostAddress(), port, context.listenerName());
    }

    /** Whether a push came without the internal context, so that software and port are not known. */
    boolean incomplete() {
        return incomplete.get();
    }

    /**
     * The client's port from a connection id such as {@code 10.0.0.1:9092-10.0.0.7:43210-0-3}.
     *
     * <p>Broker 3.7 has the port nowhere else. Addresses hold no dash, but may hold colons.
     */
    static int remotePort(String connectionId) {
        if (connectionId == null) {
            return ClientIdentity.PORT_UNKNOWN;
        }
        String[] parts = connectionId.split("-");
        String remote = parts.length > 1 ? parts[1] : "";
        try {
            int port = Integer.parseInt(remote.substring(remote.lastIndexOf(':') + 1));
            return port > 0 && port < 65_536 ? port : ClientIdentity.PORT_UNKNOWN;
        } catch (NumberFormatException notThere) {
            return ClientIdentity.PORT_UNKNOWN;
        }
    }

    private static String known(String text) {
        return ClientInformation.UNKNOWN_NAME_OR_VERSION.equals(text) ? null : text;
    }

    private void fallBack(String reason) {
        if (incomplete.compareAndSet(false, true)) {
            LOG.warn("This broker does not show the software and port of its clients to plugins ({}): pushes go "
                + "without client_software_name, client_software_version and client_source_port", reason);
        }
    }
}
