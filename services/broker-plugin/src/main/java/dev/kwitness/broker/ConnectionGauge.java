package dev.kwitness.broker;

/** How many connections one listener has from one software and version, over all network processors. */
final class ConnectionGauge {
    private final String listener;
    private final String softwareName;
    private final String softwareVersion;
    private final long connections;

    ConnectionGauge(String listener, String softwareName, String softwareVersion, long connections) {
        this.listener = listener;
        this.softwareName = softwareName;
        this.softwareVersion = softwareVersion;
        this.connections = connections;
    }

    String listener() {
        return listener;
    }

    String softwareName() {
        return softwareName;
    }

    String softwareVersion() {
        return softwareVersion;
    }

    long connections() {
        return connections;
    }

    ConnectionGauge plus(ConnectionGauge other) {
        return new ConnectionGauge(listener, softwareName, softwareVersion, connections + other.connections);
    }

    void write(Json object) {
        object.put(Contract.KEY_LISTENER, listener)
            .put(Contract.KEY_CLIENT_SOFTWARE_NAME, softwareName)
            .put(Contract.KEY_CLIENT_SOFTWARE_VERSION, softwareVersion)
            .put(Contract.KEY_CONNECTIONS, connections);
    }
}
