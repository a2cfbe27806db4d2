package dev.kwitness.broker;

/** Which plugin in which broker speaks; every message to the collector begins with it. */
final class BrokerIdentity {
    private final String clusterId;
    private final String brokerId;
    private final long epoch;
    private final String kafkaVersion;
    private final String pluginVersion;

    BrokerIdentity(String clusterId, String brokerId, long epoch, String kafkaVersion, String pluginVersion) {
        this.clusterId = clusterId;
        this.brokerId = brokerId;
        this.epoch = epoch;
        this.kafkaVersion = kafkaVersion;
        this.pluginVersion = pluginVersion;
    }

    String brokerId() {
        return brokerId;
    }

    /** Write the members that every message has. */
    void write(Json object, String schema) {
        object.put(Contract.KEY_SCHEMA, schema)
            .put(Contract.KEY_SOURCE, clusterId + "/" + brokerId)
            .put(Contract.KEY_EPOCH, epoch)
            .put(Contract.KEY_CLUSTER_ID, clusterId)
            .put(Contract.KEY_BROKER_ID, brokerId)
            .put(Contract.KEY_PLUGIN_VERSION, pluginVersion)
            .put(Contract.KEY_KAFKA_VERSION, kafkaVersion);
    }

    /** The plugin's version from its jar; a build folder has none. */
    static String version() {
        String version = BrokerIdentity.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
