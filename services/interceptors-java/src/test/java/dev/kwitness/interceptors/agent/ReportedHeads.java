package dev.kwitness.interceptors.agent;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** What the agent of this process reports, each with its rows: it is told once, by its settings, where to. */
final class ReportedHeads {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CUSTOMS = Stream.of(Customs.class.getClasses())
        .map(one -> "{\"name\":\"" + one.getSimpleName().toLowerCase(Locale.ROOT) + "\",\"type\":\"Custom\","
            + "\"class_name\":\"" + one.getName() + "\",\"settings\":{\"mark\":\"seen\"}}")
        .collect(Collectors.joining(","));
    private static final String HEADERS = "{\"name\":\"headers\",\"type\":\"Headers\"},{\"name\":\"stamp\","
        + "\"type\":\"Stamp\",\"stamps\":[{\"key\":\"pod\",\"from\":\"Pod\"},"
        + "{\"key\":\"client\",\"from\":\"ClientId\"}]},"
        + "{\"name\":\"tracing\",\"type\":\"Tracing\",\"header\":\"trace\"},"
        + "{\"name\":\"checksum\",\"type\":\"Checksum\"}";
    private static final BlockingQueue<JsonNode> HEADS = new LinkedBlockingQueue<>();

    private ReportedHeads() {
    }

    /** What a test does. */
    interface Action {
        void run() throws Exception;
    }

    /** Write the settings that the agent reads with the first client, and take what it reports. */
    static void begin() throws IOException {
        Path settings = Paths.get(System.getenv("KWITNESS_INTERCEPTORS"));
        Path token = settings.resolveSibling("token");
        Files.write(token, "token".getBytes(UTF_8));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/events", ReportedHeads::take);
        server.start();
        Files.write(settings, ("{\"installation\":\"kwitness\",\"cluster_id\":\"c\",\"namespace\":\"shop\","
            + "\"name\":\"orders\",\"suspend\":false,\"window_ms\":1000,\"topics\":[\"orders*\"],"
            + "\"interceptors\":[{\"name\":\"audit\",\"type\":\"Audit\"},"
            + "{\"name\":\"keys\",\"type\":\"Cardinality\"}," + HEADERS + "," + CUSTOMS + "],\"collector\":{"
            + "\"url\":\"http://127.0.0.1:" + server.getAddress().getPort() + "\",\"replicas\":1,"
            + "\"token_file\":\"" + token + "\"}}").getBytes(UTF_8));
    }

    /** The first head from now on that is as wanted. */
    static JsonNode await(Predicate<JsonNode> wanted) throws Exception {
        return await(() -> { }, wanted);
    }

    /** The first head since something was done that is as wanted. */
    static JsonNode await(Action done, Predicate<JsonNode> wanted) throws Exception {
        HEADS.clear();
        done.run();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        JsonNode last = null;
        for (JsonNode head = next(deadline); head != null; head = next(deadline)) {
            last = head;
            if (wanted.test(head)) {
                return head;
            }
        }
        throw new AssertionError("nothing that is reported is as wanted; the last was " + last);
    }

    /** Clients of one side that a head says are open. */
    static long clients(JsonNode head, String side) {
        for (JsonNode one : head.at("/state/clients")) {
            if (one.get("side").asText().equals(side)) {
                return one.get("clients").asLong();
            }
        }
        return 0;
    }

    private static JsonNode next(long deadline) throws InterruptedException {
        return HEADS.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    private static void take(HttpExchange exchange) throws IOException {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(exchange.getRequestBody()), UTF_8))) {
            JsonNode head = JSON.readTree(lines.readLine());
            StringBuilder taken = new StringBuilder();
            head.get("rows").forEach(row -> taken.append(row.get("seq").asText()).append(','));
            head.get("totals").forEach(totals -> taken.append(totals.get("seq").asText()).append(','));
            ArrayNode rows = ((ObjectNode) head).putArray("lines");
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                rows.add(JSON.readTree(line));
            }
            byte[] answer = ("{\"protocol\":2,\"collector\":\"n/c\",\"replica\":0,\"accepted\":\"" + taken + "\"}")
                .getBytes(UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            HEADS.add(head);
        } finally {
            exchange.close();
        }
    }
}
