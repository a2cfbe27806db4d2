package dev.kwitness.broker;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.ConfigValue;

/** The plugin's settings in the broker's properties: for each a key, a default and a text, the reference's source. */
final class PluginConfig {
    static final String PREFIX = "kwitness.";

    static final String URL = "kwitness.collector.url";
    static final String URL_DOC = "Address of the collector, such as "
        + "https://kwitness-collector-main.kafka.svc:8443. Without it the plugin stays passive.";

    static final String INSECURE = "kwitness.collector.insecure.plaintext";
    static final boolean INSECURE_DEFAULT = false;
    static final String INSECURE_DOC = "Allow a URL with http. Token, identities and metrics then travel readable.";

    static final String CA_FILE = "kwitness.collector.ca.file";
    static final String CA_FILE_DOC = "PEM file of the CAs that may sign the collector's certificate; read "
        + "again when it changes. Default: the Java runtime's own list.";

    static final String TOKEN_FILE = "kwitness.collector.token.file";
    static final String TOKEN_FILE_DOC = "File with the bearer token for the collector, such as a projected service "
        + "account token with the audience " + Contract.TOKEN_AUDIENCE
        + " of the TelemetryCollector; read again before each request, since tokens rotate. Default: no token.";

    static final String BALANCE = "kwitness.collector.balance";
    static final String BALANCE_DEFAULT = "server";
    static final String BALANCE_DOC = "Who spreads clients over the collector's replicas. server: each batch goes to "
        + "the URL and the replica that gets it hands parts on. client: where the URL's host has several addresses, "
        + "the plugin splits each batch by rendezvous hashing of the client instance id over them.";

    static final String CONNECT_TIMEOUT = "kwitness.collector.connect.timeout.ms";
    static final int CONNECT_TIMEOUT_DEFAULT = 5_000;
    static final String CONNECT_TIMEOUT_DOC = "How long to wait for a connection, in milliseconds.";

    static final String READ_TIMEOUT = "kwitness.collector.read.timeout.ms";
    static final int READ_TIMEOUT_DEFAULT = 15_000;
    static final String READ_TIMEOUT_DOC = "How long to wait for each read of an answer, in milliseconds.";

    static final String REQUEST_TIMEOUT = "kwitness.collector.request.timeout.ms";
    static final int REQUEST_TIMEOUT_DEFAULT = 60_000;
    static final String REQUEST_TIMEOUT_DOC = "How long a request may take as a whole, in milliseconds: connecting, "
        + "sending and the answer to its last byte.";

    static final String QUEUE_BYTES = "kwitness.queue.max.bytes";
    static final long QUEUE_BYTES_DEFAULT = 32L * 1024 * 1024;
    static final String QUEUE_BYTES_DOC = "Memory for pushes that wait for the collector, in bytes. When it is full "
        + "the oldest push that is not being sent is dropped and counted.";

    static final String QUEUE_PUSHES = "kwitness.queue.max.pushes";
    static final int QUEUE_PUSHES_DEFAULT = 100_000;
    static final String QUEUE_PUSHES_DOC = "Number of pushes that may wait for the collector.";

    static final String BATCH_BYTES = "kwitness.batch.max.bytes";
    static final int BATCH_BYTES_DEFAULT = 2 * 1024 * 1024;
    static final String BATCH_BYTES_DOC = "Size of a batch before compression, in bytes; a larger single push goes "
        + "alone.";

    static final String BATCH_PUSHES = "kwitness.batch.max.pushes";
    static final int BATCH_PUSHES_DEFAULT = 500;
    static final String BATCH_PUSHES_DOC = "Number of pushes in a batch.";

    static final String LINGER = "kwitness.batch.linger.ms";
    static final int LINGER_DEFAULT = 500;
    static final String LINGER_DOC = "How long a push waits for others to share its batch, in milliseconds.";

    static final String BACKOFF = "kwitness.retry.backoff.ms";
    static final int BACKOFF_DEFAULT = 200;
    static final String BACKOFF_DOC = "Wait before the first retry, in milliseconds; it doubles with each further "
        + "one, and half of it is random. A Retry-After of the collector is waited for instead.";

    static final String BACKOFF_MAX = "kwitness.retry.backoff.max.ms";
    static final int BACKOFF_MAX_DEFAULT = 30_000;
    static final String BACKOFF_MAX_DOC = "Longest wait before a retry, in milliseconds; also bounds Retry-After, and "
        + "is the wait after HTTP 401 and 403.";

    static final String HEARTBEAT = "kwitness.heartbeat.interval.ms";
    static final int HEARTBEAT_DEFAULT = 10_000;
    static final String HEARTBEAT_DOC = "Time between two snapshots of the connection gauges, in milliseconds. The "
        + "collector forgets a broker after three missed ones, counted at 10 s each.";

    static final String CLOSE_TIMEOUT = "kwitness.close.timeout.ms";
    static final int CLOSE_TIMEOUT_DEFAULT = 2_000;
    static final String CLOSE_TIMEOUT_DOC = "How long the stopping broker waits for what is queued, in milliseconds.";

    /** Smallest queue: two full batches of the default size. */
    static final long QUEUE_BYTES_MIN = 64L * 1024;

    static final ConfigDef DEFINITION = new ConfigDef()
        .define(URL, Type.STRING, ConfigDef.NO_DEFAULT_VALUE, new Checks.Url(), Importance.HIGH, URL_DOC)
        .define(TOKEN_FILE, Type.STRING, null, new Checks.Token(), Importance.HIGH, TOKEN_FILE_DOC)
        .define(CA_FILE, Type.STRING, null, new Checks.Certificates(), Importance.HIGH, CA_FILE_DOC)
        .define(INSECURE, Type.BOOLEAN, INSECURE_DEFAULT, Importance.MEDIUM, INSECURE_DOC)
        .define(QUEUE_BYTES, Type.LONG, QUEUE_BYTES_DEFAULT, Range.between(QUEUE_BYTES_MIN, 1L << 32),
            Importance.MEDIUM, QUEUE_BYTES_DOC)
        .define(QUEUE_PUSHES, Type.INT, QUEUE_PUSHES_DEFAULT, Range.between(1, 10_000_000), Importance.LOW,
            QUEUE_PUSHES_DOC)
        .define(BATCH_BYTES, Type.INT, BATCH_BYTES_DEFAULT, Range.between(1, 16 * 1024 * 1024), Importance.LOW,
            BATCH_BYTES_DOC)
        .define(BATCH_PUSHES, Type.INT, BATCH_PUSHES_DEFAULT, Range.between(1, 5_000), Importance.LOW,
            BATCH_PUSHES_DOC)
        .define(LINGER, Type.INT, LINGER_DEFAULT, Range.between(0, 60_000), Importance.LOW, LINGER_DOC)
        .define(BACKOFF, Type.INT, BACKOFF_DEFAULT, Range.between(10, 60_000), Importance.LOW, BACKOFF_DOC)
        .define(BACKOFF_MAX, Type.INT, BACKOFF_MAX_DEFAULT, Range.between(10, 600_000), Importance.LOW,
            BACKOFF_MAX_DOC)
        .define(CONNECT_TIMEOUT, Type.INT, CONNECT_TIMEOUT_DEFAULT, Range.between(1, 600_000), Importance.LOW,
            CONNECT_TIMEOUT_DOC)
        .define(READ_TIMEOUT, Type.INT, READ_TIMEOUT_DEFAULT, Range.between(1, 600_000), Importance.LOW,
            READ_TIMEOUT_DOC)
        .define(REQUEST_TIMEOUT, Type.INT, REQUEST_TIMEOUT_DEFAULT, Range.between(1, 600_000), Importance.LOW,
            REQUEST_TIMEOUT_DOC)
        .define(HEARTBEAT, Type.INT, HEARTBEAT_DEFAULT, Range.between(100, 600_000), Importance.LOW, HEARTBEAT_DOC)
        .define(BALANCE, Type.STRING, BALANCE_DEFAULT, ValidString.in("server", "client"), Importance.LOW,
            BALANCE_DOC)
        .define(CLOSE_TIMEOUT, Type.INT, CLOSE_TIMEOUT_DEFAULT, Range.between(0, 60_000), Importance.LOW,
            CLOSE_TIMEOUT_DOC);

    private final Map<String, Object> values;

    private PluginConfig(Map<String, Object> values) {
        this.values = values;
    }

    /**
     * The settings among a broker's properties.
     *
     * @throws InvalidConfiguration with every problem found, not only the first
     */
    static PluginConfig read(Map<String, ?> brokerProperties) throws InvalidConfiguration {
        Map<String, String> ours = new TreeMap<>();
        brokerProperties.forEach((key, value) -> {
            if (key.startsWith(PREFIX) && value != null) {
                ours.put(key, value.toString());
            }
        });
        Map<String, Object> values = new TreeMap<>();
        List<String> problems = new ArrayList<>();
        for (ConfigValue found : DEFINITION.validate(ours)) {
            if (DEFINITION.names().contains(found.name())) {
                values.put(found.name(), found.value());
                found.errorMessages().forEach(reason -> problems.add(problem(found.name(), reason)));
            }
        }
        if (problems.isEmpty() && values.get(URL).toString().toLowerCase(Locale.ROOT).startsWith("http:")
                && !(Boolean) values.get(INSECURE)) {
            problems.add("Invalid value " + values.get(URL) + " for configuration " + URL + ": http sends token and "
                + "identities readable. Remedy: use https, or set " + INSECURE + "=true");
        }
        if (!problems.isEmpty()) {
            throw new InvalidConfiguration(problems);
        }
        return new PluginConfig(values);
    }

    /** Keys with our prefix that mean nothing: most likely misspelled. */
    static TreeSet<String> unknownKeys(Map<String, ?> brokerProperties) {
        TreeSet<String> unknown = new TreeSet<>(brokerProperties.keySet());
        unknown.removeIf(key -> !key.startsWith(PREFIX) || DEFINITION.names().contains(key));
        return unknown;
    }

    URI url() {
        String url = string(URL);
        return URI.create(url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
    }

    /** Null when no token is sent. */
    Path tokenFile() {
        return path(TOKEN_FILE);
    }

    /** Null for the Java runtime's own list. */
    Path caFile() {
        return path(CA_FILE);
    }

    boolean balancedByClient() {
        return string(BALANCE).equals("client");
    }

    String string(String key) {
        return (String) values.get(key);
    }

    int integer(String key) {
        return (Integer) values.get(key);
    }

    long queueMaxBytes() {
        return (Long) values.get(QUEUE_BYTES);
    }

    private Path path(String key) {
        String text = string(key);
        return text == null ? null : Path.of(text);
    }

    private static String problem(String key, String reason) {
        ConfigDef.ConfigKey definition = DEFINITION.configKeys().get(key);
        String standard = definition.hasDefault() && definition.defaultValue != null
            ? " (default " + definition.defaultValue + ")" : "";
        String expected = definition.validator == null ? definition.type.toString().toLowerCase(Locale.ROOT)
            : definition.validator.toString();
        return reason + ". Remedy: set " + key + " to: " + expected + standard;
    }
}
