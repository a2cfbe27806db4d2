package dev.kwitness.broker;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Locale;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** What a value must be, beyond its type; the text of each check is its line in the reference. */
final class Checks {
    private Checks() {
    }

    /** An absolute http or https URL with a host and without query, fragment or user. */
    static final class Url implements ConfigDef.Validator {
        @Override
        public void ensureValid(String key, Object value) {
            URI uri;
            try {
                uri = new URI(String.valueOf(value));
            } catch (URISyntaxException malformed) {
                throw new ConfigException(key, value, "not a URL: " + malformed.getReason());
            }
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            if (!scheme.equals("https") && !scheme.equals("http")) {
                throw new ConfigException(key, value, "a URL must start with https:// or http://");
            }
            if (uri.getHost() == null || uri.getRawQuery() != null || uri.getRawFragment() != null
                    || uri.getRawUserInfo() != null) {
                throw new ConfigException(key, value, "a URL must name a host, and no user, query or fragment");
            }
        }

        @Override
        public String toString() {
            return "URL with https (or http) and a host";
        }
    }

    /** Absent, or a file with a bearer token that can be read now. */
    static final class Token implements ConfigDef.Validator {
        @Override
        public void ensureValid(String key, Object value) {
            if (value == null) {
                return;
            }
            try {
                TokenFile.read(path(key, value));
            } catch (IOException unreadable) {
                throw new ConfigException(key, value, "no token can be read: " + unreadable);
            }
        }

        @Override
        public String toString() {
            return "readable file that holds one line";
        }
    }

    /** Absent, or a file with PEM certificates that can be read now. */
    static final class Certificates implements ConfigDef.Validator {
        @Override
        public void ensureValid(String key, Object value) {
            if (value == null) {
                return;
            }
            try {
                Trust.contextFor(path(key, value));
            } catch (IOException | GeneralSecurityException unusable) {
                throw new ConfigException(key, value, "no certificates can be read: " + unusable);
            }
        }

        @Override
        public String toString() {
            return "readable file of PEM certificates";
        }
    }

    private static Path path(String key, Object value) {
        try {
            return Path.of(String.valueOf(value));
        } catch (InvalidPathException malformed) {
            throw new ConfigException(key, value, "not a path: " + malformed.getReason());
        }
    }
}
