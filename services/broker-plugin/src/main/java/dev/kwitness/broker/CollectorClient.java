package dev.kwitness.broker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.HttpsURLConnection;

/**
 * Posts compressed JSON to the collector, one request at a time; used by one thread, except {@link #abort}.
 *
 * <p>Built on {@link HttpURLConnection}: no thread of its own, no module beyond java.base. The body is sent with a
 * fixed length, because otherwise that class silently sends a POST again.
 */
final class CollectorClient {
    private static final int MAX_ANSWER_BYTES = 1024 * 1024;

    private final int connectTimeoutMs;
    private final int readTimeoutMs;
    private final TokenFile token;
    private final Trust trust;
    private volatile HttpURLConnection current;

    CollectorClient(int connectTimeoutMs, int readTimeoutMs, TokenFile token, Trust trust) {
        this.connectTimeoutMs = connectTimeoutMs;
        this.readTimeoutMs = readTimeoutMs;
        this.token = token;
        this.trust = trust;
    }

    /** Post a body made by {@link #compress}; failures are answers too. */
    Answer post(Target target, String path, byte[] compressed) {
        try {
            return exchange(target, path, compressed);
        } catch (IOException failure) {
            return Answer.failed(failure.toString());
        } catch (RuntimeException defect) {
            // HttpURLConnection lets some through, such as IllegalArgumentException for an odd header.
            return Answer.failed("defect: " + defect);
        } finally {
            current = null;
        }
    }

    /** Break off a request that another thread waits for. */
    void abort() {
        HttpURLConnection connection = current;
        if (connection != null) {
            connection.disconnect();
        }
    }

    /** UTF-8, gzip at the fastest level: the broker's processor time matters more than the last byte. */
    static byte[] compress(String json) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(Math.max(512, json.length() / 4));
        try (OutputStream gzip = new FastGzip(bytes)) {
            gzip.write(json.getBytes(StandardCharsets.UTF_8));
        } catch (IOException impossible) {
            throw new IllegalStateException("memory cannot be written to", impossible);
        }
        return bytes.toByteArray();
    }

    private Answer exchange(Target target, String path, byte[] compressed) throws IOException {
        URI uri = URI.create(target.base() + path);
        URLConnection opened = uri.toURL().openConnection();
        HttpURLConnection connection = (HttpURLConnection) opened;
        if (connection instanceof HttpsURLConnection) {
            ((HttpsURLConnection) connection).setSSLSocketFactory(target.sockets(trust.sockets()));
        }
        connection.setConnectTimeout(connectTimeoutMs);
        connection.setReadTimeout(readTimeoutMs);
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        connection.setRequestMethod("POST");
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setRequestProperty("Content-Encoding", "gzip");
        connection.setRequestProperty("Accept", "application/json");
        String bearer = token.current();
        if (bearer != null) {
            connection.setRequestProperty("Authorization", "Bearer " + bearer);
        }
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(compressed.length);
        current = connection;
        try {
            try (OutputStream body = connection.getOutputStream()) {
                body.write(compressed);
            }
            int status = connection.getResponseCode();
            InputStream stream = status < 400 ? connection.getInputStream() : connection.getErrorStream();
            return Answer.of(status, text(stream), retryAfterMs(connection.getHeaderField("Retry-After")));
        } catch (HttpRetryException authentication) {
            // How this class reports 401 and 407 when the body was streamed.
            connection.disconnect();
            return Answer.of(authentication.responseCode(), "", Answer.NO_HINT);
        } catch (IOException failure) {
            connection.disconnect();
            throw failure;
        }
    }

    /** Milliseconds from a header with seconds or a date, or {@link Answer#NO_HINT}. */
    static long retryAfterMs(String header) {
        if (header == null) {
            return Answer.NO_HINT;
        }
        String value = header.trim();
        try {
            if (value.chars().allMatch(Character::isDigit)) {
                return Math.multiplyExact(Long.parseLong(value), 1_000L);
            }
            Instant until = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            return Math.max(0, Duration.between(Instant.now(), until).toMillis());
        } catch (DateTimeParseException | ArithmeticException | NumberFormatException unreadable) {
            return Answer.NO_HINT;
        }
    }

    private static String text(InputStream stream) throws IOException {
        if (stream == null) {
            return "";
        }
        try (InputStream body = stream) {
            String text = new String(body.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8);
            // Only a connection read to its end is kept alive.
            return body.read() == -1 ? text : text + "...";
        }
    }

    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
