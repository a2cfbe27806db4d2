package dev.kwitness.broker;

import java.util.List;

/** The plugin's configuration cannot work; each problem names key, value, reason and remedy. */
final class InvalidConfiguration extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidConfiguration(List<String> problems) {
        super(String.join("; ", problems));
    }
}
