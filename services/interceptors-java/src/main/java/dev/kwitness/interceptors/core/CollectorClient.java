package dev.kwitness.interceptors.core;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpRetryException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.HttpsURLConnection;

/**
 * Posts events to the collector, one request at a time. The token and the certificates are read again for each.
 *
 * <p>By {@link HttpURLConnection}, which every Java has; the body has a fixed length, since that class silently sends
 * other POSTs again. The application's proxy is not for the collector.
 */
final class CollectorClient {
    static final String PATH = "/v1/events";

    private static final int CONNECT_WITHIN_MS = 3_000;
    private static final int ANSWER_WITHIN_MS = 30_000;
    private static final int LONGEST_ANSWER = 1 << 20;

    private final Trust trust = new Trust();

    /**
     * Post a body to the replica with an ordinal.
     *
     * @throws IOException when there is no whole answer in time
     */
    Answer post(Settings.Collector to, int ordinal, byte[] body) throws IOException {
        String base = to.url.replace("{ordinal}", Integer.toString(ordinal));
        URL url = new URL(base.replaceAll("/+$", "") + PATH);
        HttpURLConnection connection = (HttpURLConnection) url.openConnection(Proxy.NO_PROXY);
        try {
            return exchange(to, ordinal, connection, gzip(body));
        } catch (HttpRetryException authentication) {
            // How this class reports 401 and 407 when the body was streamed.
            return new Answer(authentication.responseCode(), "");
        } catch (IOException | RuntimeException failure) {
            connection.disconnect();
            throw failure instanceof IOException ? (IOException) failure : new IOException(failure.toString(), failure);
        }
    }

    private Answer exchange(Settings.Collector to, int ordinal, HttpURLConnection connection, byte[] body)
            throws IOException {
        if (connection instanceof HttpsURLConnection) {
            ((HttpsURLConnection) connection).setSSLSocketFactory(trust.sockets(to.caFile));
        }
        connection.setConnectTimeout(CONNECT_WITHIN_MS);
        connection.setReadTimeout(ANSWER_WITHIN_MS);
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        connection.setRequestMethod("POST");
        connection.setRequestProperty("Authorization", "Bearer " + token(to.tokenFile));
        connection.setRequestProperty("Content-Type", "application/x-ndjson");
        connection.setRequestProperty("Content-Encoding", "gzip");
        connection.setRequestProperty("Kwitness-Protocol", "2");
        connection.setRequestProperty("Kwitness-Owner", Integer.toString(ordinal));
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(body.length);
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body);
        }
        int status = connection.getResponseCode();
        InputStream stream = status < 400 ? connection.getInputStream() : connection.getErrorStream();
        return new Answer(status, stream == null ? "" : text(stream));
    }

    private static String token(String file) throws IOException {
        String token = new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.UTF_8).trim();
        // The value becomes a header line: a line break in it would start another header.
        if (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IOException(file + ": it does not hold exactly one line of printable characters");
        }
        return token;
    }

    private static byte[] gzip(byte[] body) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(Math.max(512, body.length / 4));
        try (OutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(body);
        }
        return bytes.toByteArray();
    }

    private static String text(InputStream stream) throws IOException {
        try (InputStream body = stream) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            byte[] piece = new byte[8 * 1024];
            for (int size = body.read(piece); size != -1; size = body.read(piece)) {
                text.write(piece, 0, size);
                if (text.size() > LONGEST_ANSWER) {
                    throw new IOException("the answer is longer than " + LONGEST_ANSWER + " bytes");
                }
            }
            return new String(text.toByteArray(), StandardCharsets.UTF_8);
        }
    }

    /** An HTTP answer. */
    static final class Answer {
        final int status;
        final String text;

        Answer(int status, String text) {
            this.status = status;
            this.text = text;
        }
    }
}
