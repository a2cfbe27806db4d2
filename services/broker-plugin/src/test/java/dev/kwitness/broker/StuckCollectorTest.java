package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A collector that accepts connections and never answers: what handler threads do must not depend on it. */
class StuckCollectorTest {
    private static final int PUSHES = 50_000;
    private static final String STALLED = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{";

    @Test
    void pushesAreTakenAtFullSpeedAndTheBrokerCanStop() throws IOException, InvalidConfiguration {
        try (ServerSocket stuck = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            PluginConfig config = PluginConfig.read(Map.of(
                PluginConfig.URL, "http://127.0.0.1:" + stuck.getLocalPort(), PluginConfig.INSECURE, "true",
                PluginConfig.QUEUE_BYTES, "1000000", PluginConfig.LINGER, "0", PluginConfig.READ_TIMEOUT, "600000",
                PluginConfig.CLOSE_TIMEOUT, "200"));
            Pipeline pipeline = new Pipeline(config, TestPushes.BROKER, new BrokerMetrics(), Map.of(), List.of());
            pipeline.start();

            long longest = 0;
            for (int i = 0; i < PUSHES; i++) {
                long before = System.nanoTime();
                pipeline.receiver().accept(TestPushes.push(1_000));
                longest = Math.max(longest, System.nanoTime() - before);
            }
            Ledger full = pipeline.ledger();
            long began = System.nanoTime();
            pipeline.close();
            long closing = System.nanoTime() - began;

            // Ten minutes would be the time-out of the request that never ends; a busy machine may take a second.
            assertTrue(longest < TimeUnit.SECONDS.toNanos(5), "one push took " + longest + " ns");
            assertTrue(closing < TimeUnit.SECONDS.toNanos(10), "closing took " + closing + " ns");
            assertTrue(TestPushes.balanced(full));
            assertTrue(full.queuedBytes() <= 1_000_000);
            assertEquals(PUSHES, pipeline.ledger().dropped().values().stream().mapToLong(Long::longValue).sum());
        }
    }

    @Test
    void theBrokerCanStopInTheMiddleOfAnAnswerThatStalls() throws Exception {
        try (ServerSocket stuck = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            PluginConfig config = PluginConfig.read(Map.of(
                PluginConfig.URL, "http://127.0.0.1:" + stuck.getLocalPort(), PluginConfig.INSECURE, "true",
                PluginConfig.LINGER, "0", PluginConfig.READ_TIMEOUT, "600000", PluginConfig.CLOSE_TIMEOUT, "200"));
            Pipeline pipeline = new Pipeline(config, TestPushes.BROKER, new BrokerMetrics(), Map.of(), List.of());
            pipeline.receiver().accept(TestPushes.push(10));
            pipeline.start();
            List<Socket> connections = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                // The heartbeat's and the sender's.
                Socket connection = stuck.accept();
                connections.add(connection);
                connection.getInputStream().read();
                connection.getOutputStream().write(STALLED.getBytes(StandardCharsets.US_ASCII));
                connection.getOutputStream().flush();
            }
            Thread.sleep(500);

            assertTimeoutPreemptively(Duration.ofMinutes(1), pipeline::close);

            assertEquals(1, pipeline.ledger().dropped().values().stream().mapToLong(Long::longValue).sum());
            for (Socket connection : connections) {
                connection.close();
            }
        }
    }
}
