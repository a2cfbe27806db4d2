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
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A collector that never stops beginning its answer: each read succeeds, the request as a whole must not last. */
class SlowAnswerTest {
    private static final String HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    private static final int UNREAD_BYTES = 32 * 1024 * 1024;
    private static final String PASSWORD = "changeit";

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
            assertGivesUp(server, 500, 10, "http", null);
        }
    }

    @Test
    void aBodyThatNobodyReadsIsBrokenOffAndTriedAgain() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertGivesUp(server, 500, UNREAD_BYTES, "http", null);
        }
    }

    /** Often, because it is broken off at another point of the request each time. */
    @RepeatedTest(30)
    void aRequestThatIsLateBeforeItIsConnectedIsGivenUp() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            assertGivesUp(server, 0, UNREAD_BYTES, "http", null);
        }
    }

    @Test
    void aRequestThatBeginsAfterItsClientWasAbortedIsGivenUp() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            CollectorClient client =
                new CollectorClient(10_000, 600_000, 600_000, new TokenFile(null), new Trust(null));
            Target target = Target.of(URI.create("http://127.0.0.1:" + server.getLocalPort()));
            client.abort();
            Answer answer = assertTimeoutPreemptively(
                Duration.ofMinutes(1), () -> client.post(target, Contract.PATH_PUSHES, new byte[10]));
            assertEquals(Answer.Verdict.RETRY, answer.verdict());
        }
    }

    @Test
    void aBodyThatNobodyReadsIsBrokenOffUnderTlsToo(@TempDir Path folder) throws Exception {
        Path store = folder.resolve("store");
        Path authority = folder.resolve("ca.crt");
        keytool(store, "-genkeypair", "-keyalg", "EC", "-dname", "CN=test", "-ext", "san=ip:127.0.0.1");
        keytool(store, "-exportcert", "-rfc", "-file", authority.toString());
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray()), PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket server = context.getServerSocketFactory().createServerSocket(0, 5, loopback)) {
            Thread reading = new Thread(() -> readOneByte(server));
            reading.setDaemon(true);
            reading.start();
            assertGivesUp(server, 500, UNREAD_BYTES, "https", authority);
        }
    }

    private static void assertGivesUp(
            ServerSocket server, int timeoutMs, int bytes, String scheme, Path authority) {
        CollectorClient client =
            new CollectorClient(10_000, 10_000, timeoutMs, new TokenFile(null), new Trust(authority));
        Target target = Target.of(URI.create(scheme + "://127.0.0.1:" + server.getLocalPort()));
        // A minute is for a busy machine: without a limit this lasts for days.
        Answer answer = assertTimeoutPreemptively(
            Duration.ofMinutes(1), () -> client.post(target, Contract.PATH_PUSHES, new byte[bytes]));
        assertEquals(Answer.Verdict.RETRY, answer.verdict());
        assertEquals(
            "java.net.SocketTimeoutException: no complete answer within " + timeoutMs + " ms", answer.toString());
    }

    private static void keytool(Path store, String... command) throws IOException, InterruptedException {
        Path program = Path.of(System.getProperty("java.home"), "bin", "keytool");
        List<String> words = new ArrayList<>(List.of(program.toString()));
        words.addAll(List.of(command));
        words.addAll(List.of("-alias", "test", "-storetype", "PKCS12", "-storepass", PASSWORD, "-keystore",
            store.toString()));
        ProcessBuilder quiet = new ProcessBuilder(words).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        assertEquals(0, quiet.start().waitFor());
    }

    private static void readOneByte(ServerSocket server) {
        try (Socket connection = server.accept()) {
            connection.getInputStream().read();
            Thread.sleep(Long.MAX_VALUE);
        } catch (IOException | InterruptedException over) {
            Thread.currentThread().interrupt();
        }
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
