// Generated from contracts/ by `make generate`; do not edit.
package dev.kwitness.broker;

/** Words that the plugin shares with the collector: paths, schema names and JSON keys. */
final class Contract {
    static final String PATH_PUSHES = "/v1/pushes";
    static final String PATH_GAUGES = "/v1/gauges";
    static final String SCHEMA_PUSHES = "kwitness.pushes/1";
    static final String SCHEMA_GAUGES = "kwitness.gauges/1";
    static final String TOKEN_AUDIENCE = "kwitness-collector.NAMESPACE.NAME";

    static final String KEY_ACCEPTED = "accepted";
    static final String KEY_ASKING = "asking";
    static final String KEY_BROKER_ID = "broker_id";
    static final String KEY_CLIENT_ADDRESS = "client_address";
    static final String KEY_CLIENT_ID = "client_id";
    static final String KEY_CLIENT_INSTANCE_ID = "client_instance_id";
    static final String KEY_CLIENT_SOFTWARE_NAME = "client_software_name";
    static final String KEY_CLIENT_SOFTWARE_VERSION = "client_software_version";
    static final String KEY_CLIENT_SOURCE_PORT = "client_source_port";
    static final String KEY_CLUSTER_ID = "cluster_id";
    static final String KEY_CONNECTIONS = "connections";
    static final String KEY_DELIVERED = "delivered";
    static final String KEY_DROPPED = "dropped";
    static final String KEY_EPOCH = "epoch";
    static final String KEY_EXPORTED = "exported";
    static final String KEY_GAUGE_TRUNCATED = "gauge_truncated";
    static final String KEY_INSTANCES = "instances";
    static final String KEY_INTER_BROKER_LISTENER = "inter_broker_listener";
    static final String KEY_JAVA_VERSION = "java_version";
    static final String KEY_KAFKA_VERSION = "kafka_version";
    static final String KEY_LEDGER = "ledger";
    static final String KEY_LISTENER = "listener";
    static final String KEY_LISTENERS = "listeners";
    static final String KEY_PAYLOAD = "payload";
    static final String KEY_PAYLOAD_COMPRESSION = "payload_compression";
    static final String KEY_PLUGIN_ERRORS = "plugin_errors";
    static final String KEY_PLUGIN_VERSION = "plugin_version";
    static final String KEY_PRINCIPAL = "principal";
    static final String KEY_PUSH_INTERVAL_MS = "push_interval_ms";
    static final String KEY_PUSH_SHARING_INTER_BROKER_LISTENER = "push_sharing_inter_broker_listener";
    static final String KEY_PUSHES = "pushes";
    static final String KEY_QUEUED = "queued";
    static final String KEY_RECEIVED_AT_MS = "received_at_ms";
    static final String KEY_REPORTED_BY = "reported_by";
    static final String KEY_SCHEMA = "schema";
    static final String KEY_SENSORS = "sensors";
    static final String KEY_SENT_AT_MS = "sent_at_ms";
    static final String KEY_SEQ = "seq";
    static final String KEY_SLOWEST_EXPORT_MS = "slowest_export_ms";
    static final String KEY_SOURCE = "source";
    static final String KEY_TERMINATING = "terminating";
    static final String KEY_THROTTLED = "throttled";
    static final String KEY_UNKNOWN_SUBSCRIPTION = "unknown_subscription";
    static final String KEY_WARNINGS = "warnings";
    static final String KEY_WORST = "worst";

    private Contract() {
    }
}
