package dev.kwitness.interceptors.core;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Everything that the interceptors of one process need to know: interceptors.json, as the operator writes it. */
final class Settings {
    private static final int HASH_DIGITS = 16;
    private static final Set<String> TYPES = new HashSet<>(Arrays.asList(
        "Audit", "Latency", "Sizes", "Cardinality", "Stats", "Custom", "Headers", "Stamp", "Tracing", "Checksum"));

    private static final Pattern RESOURCE = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    private static final Pattern CLUSTER = Pattern.compile("(?s).{1,64}");
    private static final Pattern TOPIC = Pattern.compile("[A-Za-z0-9._-]{1,249}|[A-Za-z0-9._-]{0,248}\\*");
    private static final Pattern ATTRIBUTE = Pattern.compile("[a-z][a-z0-9_]{0,62}");
    private static final Pattern CLASS_NAME =
        Pattern.compile("(?=.{3,255}$)[A-Za-z_][A-Za-z0-9_.$]*(:[A-Za-z_][A-Za-z0-9_]*)?");
    private static final Pattern SETTING = Pattern.compile("(?s).{1,128}");

    /** 16 hex digits of SHA-256 over the file. */
    final String hash;
    final String installation;
    final String clusterId;
    final String namespace;
    final String name;
    final boolean suspend;
    final List<Entry> interceptors;
    final long windowMs;
    final int mostTopics;
    final int mostPartitions;
    final int mostClients;
    final long queueBytes;
    final Map<String, String> attributes;
    /** Where events go; null where nothing is reported. */
    final Collector collector;
    /** Kind and name of what made the pod; null where nothing did. */
    final Map<String, String> workload;

    /** Null where clients connect as they are configured. */
    final ThroughObserver throughObserver;

    /** What Headers judges by. */
    final HeaderRules headers;

    final IdentityPolicy identity;

    private final List<String> topics;

    private Settings(String hash, SettingsFields fields) {
        this.hash = hash;
        installation = fields.text("installation", RESOURCE);
        clusterId = fields.text("cluster_id", CLUSTER);
        namespace = fields.text("namespace", NAMESPACE);
        name = fields.text("name", RESOURCE);
        suspend = fields.flag("suspend");
        List<Entry> entries = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (SettingsFields one : fields.objects("interceptors", 16)) {
            Entry entry = new Entry(one);
            entries.add(entry);
            if (!names.add(entry.name)) {
                throw new IllegalArgumentException("interceptors: two of them have the name " + entry.name);
            }
        }
        if (entries.isEmpty()) {
            throw new IllegalArgumentException("interceptors: there is none");
        }
        interceptors = Collections.unmodifiableList(entries);
        topics = fields.texts("topics", 64, TOPIC);
        windowMs = fields.number("window_ms", 10_000, 1_000, 3_600_000);
        SettingsFields limits = fields.object("limits", true);
        mostTopics = (int) limits.number("topics", 32, 1, 1_024);
        mostPartitions = (int) limits.number("partitions", 256, 1, 1_024);
        mostClients = (int) limits.number("clients", 256, 1, 4_096);
        queueBytes = limits.number("queue_bytes", 1 << 20, 1 << 16, 1 << 26);
        limits.refuseOthers();
        attributes = fields.textsByKey("attributes", 16, ATTRIBUTE, 63);
        SettingsFields address = fields.given("collector");
        collector = address == null ? null : new Collector(address);
        SettingsFields made = fields.object("workload", false);
        workload = made == null ? null : workload(made);
        SettingsFields through = fields.object("through_observer", false);
        throughObserver = through == null ? null : new ThroughObserver(through);
        headers = new HeaderRules(fields.object("headers", false));
        identity = new IdentityPolicy(fields.object("identity", false));
        fields.refuseOthers();
    }

    /**
     * Settings as a file has them.
     *
     * @throws IllegalArgumentException with the field and the reason, when they are none
     */
    static Settings parse(byte[] file) {
        Object value = JsonText.parse(new String(file, StandardCharsets.UTF_8));
        return new Settings(hash(file), SettingsFields.of("", value));
    }

    /** Whether an interceptor has this name. */
    boolean names(String interceptor) {
        return interceptors.stream().anyMatch(entry -> entry.name.equals(interceptor));
    }

    /** Whether a topic is one of those that are intercepted. */
    boolean selects(String topic) {
        if (topics.isEmpty()) {
            return true;
        }
        for (String one : topics) {
            boolean selected = one.endsWith("*") ? topic.startsWith(one.substring(0, one.length() - 1))
                : topic.equals(one);
            if (selected) {
                return true;
            }
        }
        return false;
    }

    /** The first interceptor of a type, null where there is none. */
    Entry first(String type) {
        for (Entry entry : interceptors) {
            if (entry.type.equals(type)) {
                return entry;
            }
        }
        return null;
    }

    private static Map<String, String> workload(SettingsFields fields) {
        Map<String, String> found = new LinkedHashMap<>();
        found.put("kind", fields.text("kind"));
        found.put("name", fields.text("name", RESOURCE));
        fields.refuseOthers();
        return Collections.unmodifiableMap(found);
    }

    private static String hash(byte[] file) {
        try {
            StringBuilder digits = new StringBuilder();
            for (byte one : MessageDigest.getInstance("SHA-256").digest(file)) {
                digits.append(String.format("%02x", one));
            }
            return digits.substring(0, HASH_DIGITS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    /** One interceptor. */
    static final class Entry {
        final String name;
        final String type;
        /** Of Cardinality. */
        final long windowMs;
        /** Of Custom: a class of the application; null otherwise. */
        final String className;
        /** Of Custom: added to the client's configuration. */
        final Map<String, String> settings;
        /** Of Stamp. */
        final List<Stamp> stamps;
        /** Of Checksum, and of Tracing, where it may be null: the key of the header. */
        final String header;

        private Entry(SettingsFields fields) {
            name = fields.text("name", NAMESPACE);
            type = fields.text("type");
            if (!TYPES.contains(type)) {
                throw new IllegalArgumentException(fields.path("type") + ": " + type + " is none of " + TYPES);
            }
            windowMs = type.equals("Cardinality") ? fields.number("window_ms", 60_000, 1_000, 3_600_000) : 0;
            className = type.equals("Custom") ? fields.text("class_name", CLASS_NAME) : null;
            settings = type.equals("Custom") ? fields.textsByKey("settings", 64, SETTING, 1_024)
                : Collections.emptyMap();
            stamps = type.equals("Stamp") ? Stamp.all(fields) : Collections.emptyList();
            header = type.equals("Checksum") ? fields.text("header", HeaderRule.TEXT, Checksum.HEADER)
                : type.equals("Tracing") ? fields.optionalText("header", HeaderRule.TEXT) : null;
            fields.refuseOthers();
        }

        /** Whether it is about headers of records. */
        boolean isOfHeaders() {
            return HeaderSteps.isOne(type);
        }
    }

    /** Where events go. */
    static final class Collector {
        /** Holds {@code {ordinal}}. */
        final String url;
        final int replicas;
        /** PEM; null means: what the Java runtime trusts. */
        final String caFile;
        final String tokenFile;

        private Collector(SettingsFields fields) {
            url = fields.text("url");
            replicas = (int) fields.number("replicas", -1, 1, Integer.MAX_VALUE);
            caFile = fields.optionalText("ca_file");
            tokenFile = fields.text("token_file");
            fields.refuseOthers();
        }
    }
}
