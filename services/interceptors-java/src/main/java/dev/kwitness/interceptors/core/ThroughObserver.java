package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** How a client connects to the observer of its pod instead of the listener that it would connect to. */
final class ThroughObserver {
    private static final String SERVERS = "bootstrap.servers";
    private static final String PROTOCOL = "security.protocol";
    private static final String DEFAULT_PORT = "9092";
    private static final Pattern ADDRESS = Pattern.compile("(?s).{1,320}");
    private static final Pattern SPOKEN = Pattern.compile("(SASL_)?(PLAINTEXT|SSL)");
    private static final String[] OF_CERTIFICATES = {"ssl.engine.", "ssl.key.", "ssl.keystore."};
    /** Mechanisms whose tickets or signatures are for a host by its name. */
    private static final Set<String> OF_A_HOST = new HashSet<>(Arrays.asList("AWS_MSK_IAM", "GSSAPI"));

    /** Null where the pod has no observer that clients could connect to. */
    private final String servers;
    private final Set<String> addresses;
    /** What a client speaks to the observer, by the security protocol that it is configured with. */
    private final Map<String, String> protocols;

    ThroughObserver(SettingsFields fields) {
        servers = fields.optionalText("bootstrap_servers");
        addresses = new HashSet<>(fields.texts("addresses", 256, ADDRESS));
        protocols = fields.textsByKey("protocols", 4, SPOKEN, SPOKEN);
        fields.refuseOthers();
    }

    /** What becomes of a client with this configuration. */
    Way way(Map<String, ?> configuration) {
        List<String> named = reduced(configuration.get(SERVERS));
        if (named.isEmpty() || named.contains(servers)) {
            return Way.ITS_OWN;
        }
        if (servers == null) {
            return new Way("no_observer");
        }
        if (Collections.disjoint(named, addresses)) {
            return new Way("other_cluster");
        }
        String protocol = text(configuration.get(PROTOCOL), "PLAINTEXT");
        String reason = reasonToRefuse(protocol, configuration);
        return reason == null ? new Way(servers, protocols.get(protocol)) : new Way(reason);
    }

    /** Why a client would not be let in through the observer as it is without; null where it would. */
    private String reasonToRefuse(String protocol, Map<String, ?> configuration) {
        if (!protocols.containsKey(protocol)) {
            return "security_protocol";
        }
        if (protocol.endsWith("SSL") && hasCertificate(configuration)) {
            return "client_certificate";
        }
        boolean ofAHost = OF_A_HOST.contains(text(configuration.get("sasl.mechanism"), "GSSAPI"));
        return protocol.startsWith("SASL_") && ofAHost ? "sasl_mechanism" : null;
    }

    private static boolean hasCertificate(Map<String, ?> configuration) {
        for (Map.Entry<String, ?> one : configuration.entrySet()) {
            boolean isSet = one.getValue() != null && !one.getValue().toString().isEmpty();
            if (isSet && Arrays.stream(OF_CERTIFICATES).anyMatch(one.getKey()::startsWith)) {
                return true;
            }
        }
        return false;
    }

    /** A text with commas, or a list, as host:port each. */
    private static List<String> reduced(Object value) {
        List<String> found = new ArrayList<>();
        if (value == null) {
            return found;
        }
        Collection<?> texts = value instanceof Collection ? (Collection<?>) value
            : Arrays.asList(value.toString().split(","));
        for (Object one : texts) {
            String text = String.valueOf(one).trim();
            if (!text.isEmpty()) {
                found.add(reducedOne(text));
            }
        }
        return found;
    }

    /** In lower case, without a scheme, and of a name within Kubernetes what is before {@code .svc}. */
    private static String reducedOne(String server) {
        String text = server.substring(server.lastIndexOf("://") < 0 ? 0 : server.lastIndexOf("://") + 3);
        int colon = text.lastIndexOf(':');
        // An IPv6 address without port ends with its bracket.
        boolean hasPort = colon >= 0 && !text.endsWith("]");
        String host = (hasPort ? text.substring(0, colon) : text).toLowerCase(Locale.ROOT).replaceAll("\\.+$", "");
        int within = (host + ".").indexOf(".svc.");
        String port = hasPort ? text.substring(colon + 1) : DEFAULT_PORT;
        return (within < 0 ? host : host.substring(0, within)) + ":" + port;
    }

    private static String text(Object value, String standard) {
        return value == null || value.toString().isEmpty() ? standard : value.toString().toUpperCase(Locale.ROOT);
    }

    /** What of a client's configuration is changed, or why nothing is. */
    static final class Way {
        static final Way ITS_OWN = new Way(null);

        final Map<String, String> changes;
        /** Null where there is none. */
        final String reason;

        private Way(String reason) {
            changes = Collections.emptyMap();
            this.reason = reason;
        }

        private Way(String servers, String protocol) {
            Map<String, String> found = new HashMap<>();
            found.put(SERVERS, servers);
            found.put(PROTOCOL, protocol);
            changes = Collections.unmodifiableMap(found);
            reason = null;
        }
    }
}
