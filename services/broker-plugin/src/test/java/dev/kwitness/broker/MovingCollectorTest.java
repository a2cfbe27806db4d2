package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Replicas whose addresses change while a batch is retried. */
class MovingCollectorTest {
    private static final int PUSHES = 50;

    @Test
    void aBatchForAnAddressThatIsGoneGoesToThoseOfferedNow() throws Exception {
        HttpServer first = collector("127.0.0.1", 0);
        int port = first.getAddress().getPort();
        HttpServer second = collector("127.0.0.2", port);
        URI url = URI.create("http://collector.test:" + port);
        AtomicBoolean moved = new AtomicBoolean();
        CountDownLatch asked = new CountDownLatch(3);
        // Nobody listens at the third address.
        Route route = new Route(url, true, host -> {
            asked.countDown();
            return addresses("127.0.0.1", moved.get() ? "127.0.0.2" : "127.0.0.3");
        });
        PluginConfig config = PluginConfig.read(Map.of(
            PluginConfig.URL, url.toString(), PluginConfig.INSECURE, "true", PluginConfig.LINGER, "0",
            PluginConfig.BACKOFF, "10", PluginConfig.BACKOFF_MAX, "20"));
        PushQueue queue = new PushQueue(1 << 20, 1_000);
        for (int i = 0; i < PUSHES; i++) {
            queue.offer(TestPushes.push("client-" + i, 10));
        }
        CollectorClient client = new CollectorClient(1_000, 1_000, 5_000, new TokenFile(null), new Trust(null));
        PushSender sender = new PushSender(queue, client, route, TestPushes.BROKER, config);
        Thread thread = new Thread(sender);
        thread.start();
        try {
            assertTrue(asked.await(60, TimeUnit.SECONDS), "the addresses were looked up once and never again");
            moved.set(true);
            queue.close();
            thread.join(TimeUnit.SECONDS.toMillis(60));

            assertTrue(TestPushes.balanced(queue.ledger()));
            assertEquals(PUSHES, queue.ledger().delivered());
            assertEquals(Map.of(), queue.ledger().dropped());
        } finally {
            sender.abandon();
            first.stop(0);
            second.stop(0);
        }
    }

    @Test
    void addressesThatAreKnownServeWhileTheNameCannotBeLookedUp() {
        AtomicBoolean broken = new AtomicBoolean();
        Route route = new Route(URI.create("http://collector.test:80"), true, host -> {
            if (broken.get()) {
                throw new UnknownHostException(host);
            }
            return addresses("127.0.0.1", "127.0.0.2");
        });
        Target before = route.split(List.of(TestPushes.push(1))).keySet().iterator().next();
        broken.set(true);
        route.doubt();
        assertEquals(before, route.split(List.of(TestPushes.push(1))).keySet().iterator().next());
    }

    private static InetAddress[] addresses(String one, String other) throws UnknownHostException {
        return new InetAddress[] {InetAddress.getByName(one), InetAddress.getByName(other)};
    }

    private static HttpServer collector(String address, int port) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(address, port), 50);
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
