package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** What a broker that stops could not send any more is said in its last heartbeat. */
class LastHeartbeatTest {
    @Test
    void whatIsDroppedAtTheEndIsReported() throws Exception {
        ConcurrentLinkedDeque<String> heartbeats = new ConcurrentLinkedDeque<>();
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 50);
        server.createContext("/", exchange -> {
            boolean gauges = exchange.getRequestURI().getPath().equals(Contract.PATH_GAUGES);
            try (InputStream body = new GZIPInputStream(exchange.getRequestBody())) {
                String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
                if (gauges) {
                    heartbeats.add(text);
                }
            }
            exchange.sendResponseHeaders(gauges ? 200 : 503, -1);
            exchange.close();
        });
        server.start();
        try {
            PluginConfig config = PluginConfig.read(Map.of(
                PluginConfig.URL, "http://127.0.0.1:" + server.getAddress().getPort(), PluginConfig.INSECURE, "true",
                PluginConfig.HEARTBEAT, "60000", PluginConfig.LINGER, "0", PluginConfig.CLOSE_TIMEOUT, "200"));
            Pipeline pipeline = new Pipeline(config, TestPushes.BROKER, new BrokerMetrics(), Map.of(), List.of());
            pipeline.start();
            for (int i = 0; i < 7; i++) {
                pipeline.receiver().accept(TestPushes.push(10));
            }

            pipeline.close();

            String last = heartbeats.getLast();
            assertTrue(last.contains("\"queued\":0"), last);
            assertTrue(last.contains("\"dropped\":{\"closed\":7}"), last);
        } finally {
            server.stop(0);
        }
    }
}
