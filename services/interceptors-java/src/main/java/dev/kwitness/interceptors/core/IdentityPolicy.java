package dev.kwitness.interceptors.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Keeps, hashes or drops what is known of a client before it is reported. */
final class IdentityPolicy {
    private static final Pattern KEY = Pattern.compile("client_id|group_id|group_instance_id|transactional_id");
    private static final Pattern HASH = Pattern.compile("hash-[0-9a-f]{32}");
    private static final int DIGITS = 32;
    private static final int MOST_CHARACTERS = 32_767;
    /** A shorter key could be guessed. */
    private static final int LEAST_KEY_BYTES = 16;

    private final Set<String> dropped;
    private final Set<String> hashed;
    private final String keyFile;

    /** Reads the settings; null means: everything is kept. */
    IdentityPolicy(SettingsFields fields) {
        if (fields == null) {
            dropped = Collections.emptySet();
            hashed = Collections.emptySet();
            keyFile = null;
            return;
        }
        dropped = new HashSet<>(fields.texts("drop", 4, KEY));
        hashed = new HashSet<>(fields.texts("hash", 4, KEY));
        keyFile = fields.optionalText("key_file");
        if (!Collections.disjoint(dropped, hashed)) {
            throw new IllegalArgumentException(fields.path("hash") + ": a key is in drop as well; name each once");
        }
        if (hashed.isEmpty() != (keyFile == null)) {
            throw new IllegalArgumentException(fields.path("key_file") + ": it goes with hash, and only with it");
        }
        fields.refuseOthers();
    }

    /** The key that the file has now; null where nothing is hashed, or there is no key that is long enough. */
    byte[] readKey() {
        if (keyFile == null) {
            return null;
        }
        byte[] content;
        try {
            content = Files.readAllBytes(Paths.get(keyFile));
        } catch (IOException | RuntimeException away) {
            return null;
        }
        int end = content.length;
        while (end > 0 && (content[end - 1] == '\n' || content[end - 1] == '\r')) {
            end--;
        }
        return end < LEAST_KEY_BYTES ? null : Arrays.copyOf(content, end);
    }

    /** Returns true if something is dropped that is to be hashed. */
    boolean lacksKey() {
        return !hashed.isEmpty() && readKey() == null;
    }

    /** A client as it is reported, by the key of {@link #readKey}; without one what is to be hashed is dropped. */
    ClientIdentity apply(ClientIdentity client, byte[] key) {
        return new ClientIdentity(
            value("client_id", client.clientId, key), value("group_id", client.groupId, key),
            value("group_instance_id", client.groupInstanceId, key),
            value("transactional_id", client.transactionalId, key), client.softwareVersion);
    }

    private String value(String field, String value, byte[] key) {
        if (value == null || dropped.contains(field)) {
            return null;
        }
        if (!hashed.contains(field)) {
            return value;
        }
        return key == null ? null : hash(key, field, value);
    }

    /** Returns the text that stands for a value, as contracts/vectors/identity_hashes.json has it. */
    static String hash(byte[] key, String field, String value) {
        if (HASH.matcher(value).matches()) {
            return value;
        }
        String counted = value.codePointCount(0, value.length()) <= MOST_CHARACTERS ? value
            : value.substring(0, value.offsetByCodePoints(0, MOST_CHARACTERS));
        byte[] tag;
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            tag = mac.doFinal((field + "\0" + counted).getBytes(UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has HmacSHA256", impossible);
        }
        StringBuilder text = new StringBuilder("hash-");
        for (int place = 0; place < DIGITS / 2; place++) {
            text.append(Character.forDigit((tag[place] >> 4) & 0xf, 16));
            text.append(Character.forDigit(tag[place] & 0xf, 16));
        }
        return text.toString();
    }
}
