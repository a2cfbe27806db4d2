package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/** One header that records get, and where its text is from. */
final class Stamp {
    private static final int MOST = 32;
    private static final Pattern VALUE = Pattern.compile("(?s).{1,1024}");
    private static final long VERSION_7 = 0x7000L;
    private static final long VARIANT = 1L << 63;

    final String key;
    private final From from;
    /** The text of Value, the name of Attribute; null otherwise. */
    private final String value;

    private Stamp(SettingsFields fields) {
        key = fields.text("key", HeaderRule.TEXT);
        from = fields.choice("from", From.values(), null);
        value = fields.optionalText("value", VALUE);
        boolean wantsValue = from == From.Value || from == From.Attribute;
        if (wantsValue != (value != null)) {
            throw new IllegalArgumentException(
                fields.path("value") + ": it is for Value and Attribute, which need it");
        }
        fields.refuseOthers();
    }

    /** Those of an entry. */
    static List<Stamp> all(SettingsFields fields) {
        List<Stamp> found = new ArrayList<>();
        Set<String> keys = new HashSet<>();
        for (SettingsFields one : fields.objects("stamps", MOST)) {
            Stamp stamp = new Stamp(one);
            found.add(stamp);
            if (!keys.add(stamp.key)) {
                throw new IllegalArgumentException(fields.path("stamps") + ": two of them have the key " + stamp.key);
            }
        }
        if (found.isEmpty()) {
            throw new IllegalArgumentException(fields.path("stamps") + ": there is none");
        }
        return found;
    }

    /** Whether every record gets another text. */
    boolean isUnique() {
        return from == From.UniqueId;
    }

    /** The text that all records of a client get; null where it is not known. */
    String text(Settings settings, ClientIdentity client) {
        switch (from) {
            case ClientId:
                return client.clientId;
            case ClusterId:
                return settings.clusterId;
            case Pod:
                return Source.variable(Source.POD_NAME);
            case Namespace:
                return Source.variable(Source.POD_NAMESPACE);
            case Workload:
                return settings.workload == null ? null : settings.workload.get("name");
            case Value:
                return value;
            case Attribute:
                return settings.attributes.get(value);
            default:
                return null;
        }
    }

    /** A UUID of version 7 (RFC 9562): the time in milliseconds, then random bits. */
    static String unique() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long first = System.currentTimeMillis() << 16 | VERSION_7 | random.nextInt(1 << 12);
        return new UUID(first, random.nextLong() >>> 2 | VARIANT).toString();
    }

    /** As the settings spell it. */
    private enum From {
        ClientId,
        ClusterId,
        Pod,
        Namespace,
        Workload,
        UniqueId,
        Value,
        Attribute
    }
}
