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
        object.put("schema", schema)
            .put("source", clusterId + "/" + brokerId)
            .put("epoch", epoch)
            .put("cluster_id", clusterId)
            .put("broker_id", brokerId)
            .put("plugin_version", pluginVersion)
            .put("kafka_version", kafkaVersion);
    }

    /** The plugin's version from its jar; a build folder has none. */
    static String version() {
        String version = BrokerIdentity.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
