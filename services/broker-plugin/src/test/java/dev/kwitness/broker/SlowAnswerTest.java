package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A collector that never stops beginning its answer: each read succeeds, the request as a whole must not last. */
class SlowAnswerTest {
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

    @ParameterizedTest
    @ValueSource(strings = {
        HEAD + "X-Long: ",
        HEAD + "Content-Length: 1000000\r\n\r\n",
        HEAD + "Connection: close\r\n\r\n",
    })
    void anAnswerThatDripsInIsBrokenOffAndTriedAgain(String beginning) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread dripping = new Thread(() -> drip(server, beginning));
            dripping.setDaemon(true);
            dripping.start();
            assertGivesUp(server, 10);
        }
    }

    @Test
    void aBodyThatNobodyReadsIsBrokenOffAndTriedAgain() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertGivesUp(server, 32 * 1024 * 1024);
        }
    }

    private static void assertGivesUp(ServerSocket server, int bytes) {
        CollectorClient client = new CollectorClient(10_000, 10_000, 500, new TokenFile(null), new Trust(null));
        Target target = Target.of(URI.create("http://127.0.0.1:" + server.getLocalPort()));
        // A minute is for a busy machine: without a limit this lasts for days.
        Answer answer = assertTimeoutPreemptively(
            Duration.ofMinutes(1), () -> client.post(target, Contract.PATH_PUSHES, new byte[bytes]));
        assertEquals(Answer.Verdict.RETRY, answer.verdict());
        assertEquals("java.net.SocketTimeoutException: no complete answer within 500 ms", answer.toString());
    }

    private static void drip(ServerSocket server, String beginning) {
        try (Socket connection = server.accept(); OutputStream out = connection.getOutputStream()) {
            out.write(beginning.getBytes(StandardCharsets.US_ASCII));
            while (true) {
                out.write('x');
                out.flush();
                Thread.sleep(20);
            }
        } catch (IOException | InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }
}
