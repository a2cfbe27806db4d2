package dev.kwitness.broker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A bearer token in a file that someone else replaces from time to time. */
final class TokenFile {
    private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
    private static final int MAX_CHARACTERS = 65_536;

    private final Path path;
    private String last;
    private boolean readable = true;

    /** A null path means: no token. */
    TokenFile(Path path) {
        this.path = path;
    }

    /** The token as the file has it now; the last good one while it cannot be read; null when there is none. */
    synchronized String current() {
        if (path == null) {
            return null;
        }
        try {
            last = read(path);
            readable = true;
        } catch (IOException gone) {
            if (readable) {
                LOG.warn("The token in {} cannot be read ({}): the last one is used until it can; check {}",
                    path, gone.toString(), PluginConfig.TOKEN_FILE);
            }
            readable = false;
        }
        return last;
    }

    synchronized boolean readable() {
        return readable;
    }

    /**
     * The token in a file, without surrounding blanks.
     *
     * @throws IOException when the file cannot be read, or does not hold exactly one line of printable characters
     */
    static String read(Path path) throws IOException {
        if (Files.size(path) > MAX_CHARACTERS) {
            throw new IOException("it is longer than " + MAX_CHARACTERS + " characters");
        }
        String token = new String(Files.readAllBytes(path), StandardCharsets.UTF_8).trim();
        // The value becomes a header line: a line break in it would start another header.
        if (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IOException("it does not hold exactly one line of printable characters without blanks");
        }
        return token;
    }
}
