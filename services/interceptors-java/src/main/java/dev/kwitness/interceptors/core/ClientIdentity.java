package dev.kwitness.interceptors.core;

/** Who a client says it is; what it does not say is null. */
public final class ClientIdentity {
    final String clientId;
    final String groupId;
    final String groupInstanceId;
    final String transactionalId;
    final String softwareVersion;

    public ClientIdentity(
            String clientId, String groupId, String groupInstanceId, String transactionalId, String softwareVersion) {
        this.clientId = clientId;
        this.groupId = groupId;
        this.groupInstanceId = groupInstanceId;
        this.transactionalId = transactionalId;
        this.softwareVersion = softwareVersion;
    }

    /** Whether it is one that Kafka Streams makes for its own changelogs. */
    boolean isInternal() {
        return clientId != null && (clientId.endsWith("-restore-consumer") || clientId.endsWith("-global-consumer"));
    }
}
