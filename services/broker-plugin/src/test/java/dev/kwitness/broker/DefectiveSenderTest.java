package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What must not happen, such as a lack of memory, while pushes are sent: the thread goes on. */
class DefectiveSenderTest {
    private static final int PUSHES = 6;

    @Test
    void pushesAreSentOnceTheDefectIsOver() throws Exception {
        AtomicInteger failures = new AtomicInteger();
        Ledger end = send(() -> {
            int number = failures.incrementAndGet();
            if (number == 1) {
                throw new OutOfMemoryError("of a test");
            }
            if (number <= 3) {
                throw new IllegalStateException("of a test");
            }
        });

        assertEquals(PUSHES, end.delivered());
        assertEquals(Map.of(), end.dropped());
    }

    @Test
    void pushesThatFailForEverAreDroppedOneByOneAndTheThreadEndsWithThePlugin() throws Exception {
        Ledger end = send(() -> {
            throw new IllegalStateException("of a test");
        });

        assertEquals(0, end.delivered());
        assertTrue(TestPushes.balanced(end));
        assertEquals(Map.of(DropReason.INTERNAL, (long) PUSHES), end.dropped());
    }

    /** Send pushes with something that happens at each attempt, and return the ledger at the end. */
    private static Ledger send(Runnable defect) throws Exception {
        HttpServer collector = collector();
        URI url = URI.create("http://collector.test:" + collector.getAddress().getPort());
        Route route = new Route(url, true, host -> {
            defect.run();
            return new InetAddress[] {InetAddress.getByName("127.0.0.1"), InetAddress.getByName("127.0.0.1")};
        });
        PluginConfig config = PluginConfig.read(Map.of(
            PluginConfig.URL, url.toString(), PluginConfig.INSECURE, "true", PluginConfig.LINGER, "0",
            PluginConfig.BACKOFF, "10", PluginConfig.BACKOFF_MAX, "10"));
        PushQueue queue = new PushQueue(1 << 20, 1_000);
        TestPushes.offer(queue, PUSHES);
        CollectorClient client = new CollectorClient(1_000, 1_000, 5_000, new TokenFile(null), new Trust(null));
        PushSender sender = new PushSender(queue, client, route, TestPushes.BROKER, config);
        Thread thread = new Thread(sender);
        thread.start();
        try {
            queue.close();
            thread.join(TimeUnit.SECONDS.toMillis(60));
            assertFalse(thread.isAlive());
            return queue.ledger();
        } finally {
            sender.abandon();
            collector.stop(0);
        }
    }

    private static HttpServer collector() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 50);
        server.createContext("/", exchange -> {
            byte[] answer = TestPushes.acknowledgement(exchange.getRequestBody()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        return server;
    }
}
