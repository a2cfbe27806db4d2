package dev.kwitness.broker;

/** Who sent a push, as far as the broker knows; what is unknown is null, the port -1. */
final class ClientIdentity {
    static final int PORT_UNKNOWN = -1;

    private final String clientId;
    private final String principal;
    private final String softwareName;
    private final String softwareVersion;
    private final String address;
    private final int port;
    private final String listener;

    ClientIdentity(
            String clientId, String principal, String softwareName, String softwareVersion,
            String address, int port, String listener) {
        this.clientId = clientId;
        this.principal = principal;
        this.softwareName = softwareName;
        this.softwareVersion = softwareVersion;
        this.address = address;
        this.port = port;
        this.listener = listener;
    }

    String clientId() {
        return clientId;
    }

    /** Type and name, such as {@code User:alice}. */
    String principal() {
        return principal;
    }

    String softwareName() {
        return softwareName;
    }

    String softwareVersion() {
        return softwareVersion;
    }

    /** The address in digits, as the broker sees the connection. */
    String address() {
        return address;
    }

    int port() {
        return port;
    }

    String listener() {
        return listener;
    }

    /** An estimate of the memory this identity takes, in bytes. */
    int sizeInBytes() {
        return 96 + length(clientId) + length(principal) + length(softwareName) + length(softwareVersion)
            + length(address) + length(listener);
    }

    private static int length(String text) {
        return text == null ? 0 : 2 * text.length();
    }
}
