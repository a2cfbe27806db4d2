package dev.kwitness.broker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
    private final int requestTimeoutMs;
    private final TokenFile token;
    private final Trust trust;
    private volatile HttpURLConnection current;
    private volatile boolean aborted;

    CollectorClient(int connectTimeoutMs, int readTimeoutMs, int requestTimeoutMs, TokenFile token, Trust trust) {
        this.connectTimeoutMs = connectTimeoutMs;
        this.readTimeoutMs = readTimeoutMs;
        this.requestTimeoutMs = requestTimeoutMs;
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

    /** Break off a request that another thread waits for, and any that comes later. */
    void abort() {
        aborted = true;
        HttpURLConnection connection = current;
        if (connection != null) {
            breakOff(connection);
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
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(requestTimeoutMs);
        CompletableFuture<Boolean> late = breakingOff(connection);
        try {
            connection.connect();
            if (aborted || late.isDone()) {
                // Breaking off did nothing as long as there was no connection.
                throw new SocketTimeoutException("broken off before it was connected");
            }
            try (OutputStream body = connection.getOutputStream()) {
                body.write(compressed);
            }
            int status = connection.getResponseCode();
            InputStream stream = status < 400 ? connection.getInputStream() : connection.getErrorStream();
            late.complete(false);
            return Answer.of(status, text(stream, deadline), retryAfterMs(connection.getHeaderField("Retry-After")));
        } catch (HttpRetryException authentication) {
            // How this class reports 401 and 407 when the body was streamed.
            disconnect(connection);
            return Answer.of(authentication.responseCode(), "", Answer.NO_HINT);
        } catch (IOException | RuntimeException failure) {
            // Runtime exceptions too: the JDK's class is not made to be disconnected by another thread meanwhile.
            disconnect(connection);
            if (late.getNow(false)) {
                throw tooSlow();
            }
            if (aborted) {
                throw new SocketException("broken off, since the plugin ends");
            }
            throw failure;
        } finally {
            late.complete(false);
        }
    }

    /**
     * Break off a connection at the deadline, unless the future is completed before: what blocks in sending, or in a
     * header that drips in, has no deadline of its own.
     */
    private CompletableFuture<Boolean> breakingOff(HttpURLConnection connection) {
        CompletableFuture<Boolean> late =
            new CompletableFuture<Boolean>().completeOnTimeout(true, requestTimeoutMs, TimeUnit.MILLISECONDS);
        late.thenAccept(over -> {
            if (over) {
                breakOff(connection);
            }
        });
        return late;
    }

    /** Not on the caller's thread: while an answer is read, closing it waits for that read to end. */
    private static void breakOff(HttpURLConnection connection) {
        CompletableFuture.runAsync(() -> disconnect(connection));
    }

    /** The JDK's class is not made for two threads that do this at once: one of them may find its fields taken away. */
    private static void disconnect(HttpURLConnection connection) {
        try {
            connection.disconnect();
        } catch (RuntimeException simultaneous) {
            // The other thread closes it.
        }
    }

    private SocketTimeoutException tooSlow() {
        return new SocketTimeoutException("no complete answer within " + requestTimeoutMs + " ms");
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

    private String text(InputStream stream, long deadline) throws IOException {
        if (stream == null) {
            return "";
        }
        try (InputStream body = stream) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            byte[] piece = new byte[8 * 1024];
            // Only a connection read to its end is kept alive.
            for (int size = body.read(piece); size != -1; size = body.read(piece)) {
                if (System.nanoTime() - deadline > 0) {
                    throw tooSlow();
                }
                if (text.size() + size > MAX_ANSWER_BYTES) {
                    return text.toString(StandardCharsets.UTF_8) + "...";
                }
                text.write(piece, 0, size);
            }
            return text.toString(StandardCharsets.UTF_8);
        }
    }

    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
