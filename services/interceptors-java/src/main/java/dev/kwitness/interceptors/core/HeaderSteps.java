package dev.kwitness.interceptors.core;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the settings have one client do with headers of records, in the order of the profile. */
public final class HeaderSteps {
    private static final Set<String> TYPES = new HashSet<>(Arrays.asList("Headers", "Stamp", "Tracing", "Checksum"));

    /** All but checksums, which are of records as they are sent and were read. */
    public final List<Step> steps;
    /** The key of the header with a checksum; null where there is none. */
    public final String checksum;
    /** Whether headers are judged. */
    public final boolean judges;

    private final Settings settings;

    private HeaderSteps(Settings settings, ClientIdentity client) {
        List<Step> found = new ArrayList<>();
        String header = null;
        for (Settings.Entry entry : settings.interceptors) {
            if (entry.type.equals("Checksum")) {
                header = header == null ? entry.header : header;
            } else if (entry.isOfHeaders()) {
                found.add(new Step(entry, settings, client));
            }
        }
        this.settings = settings;
        steps = Collections.unmodifiableList(found);
        checksum = header;
        judges = settings.first("Headers") != null;
    }

    /** Whether an interceptor of this type is about headers. */
    static boolean isOne(String type) {
        return TYPES.contains(type);
    }

    /** Those of a client; null where there are none. */
    static HeaderSteps of(Settings settings, ClientIdentity client) {
        return settings.interceptors.stream().anyMatch(Settings.Entry::isOfHeaders)
            ? new HeaderSteps(settings, client) : null;
    }

    /** Whether records of a topic are meant. */
    public boolean selects(String topic) {
        return settings.selects(topic);
    }

    /** Judge the headers of a record of this topic. */
    public JudgedHeaders judge(String topic) {
        return new JudgedHeaders(settings.headers, topic);
    }

    /** What is done. */
    public enum Kind {
        HEADERS,
        STAMP,
        TRACING
    }

    /** One of them. */
    public static final class Step {
        public final Kind kind;
        /** Of Stamp. */
        public final List<Text> texts;
        /** Of Tracing, may be null: the key of one more header. */
        public final String header;

        private Step(Settings.Entry entry, Settings settings, ClientIdentity client) {
            kind = entry.type.equals("Headers") ? Kind.HEADERS
                : entry.type.equals("Stamp") ? Kind.STAMP : Kind.TRACING;
            header = entry.header;
            List<Text> found = new ArrayList<>();
            for (Stamp stamp : entry.stamps) {
                String text = stamp.text(settings, client);
                if (text != null || stamp.isUnique()) {
                    found.add(new Text(stamp.key, text));
                }
            }
            texts = Collections.unmodifiableList(found);
        }
    }

    /** A header that records get. */
    public static final class Text {
        public final String key;
        /** Null where each record gets another one. */
        private final byte[] same;

        private Text(String key, String same) {
            this.key = key;
            this.same = same == null ? null : same.getBytes(StandardCharsets.UTF_8);
        }

        /** For the next record; an array of its own, since the application may change it. */
        public byte[] value() {
            return same == null ? Stamp.unique().getBytes(StandardCharsets.US_ASCII) : same.clone();
        }
    }
}
