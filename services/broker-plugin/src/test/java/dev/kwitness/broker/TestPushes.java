package dev.kwitness.broker;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;

/** Pushes for tests. */
final class TestPushes {
    static final ClientIdentity ALICE = new ClientIdentity(
        "orders", "User:alice", "apache-kafka-java", "4.1.2", "10.0.0.7", 43210, "PLAINTEXT");
    static final BrokerIdentity BROKER = new BrokerIdentity("cluster", "1", 1_700_000_000_000L, "4.3.1", "test");

    private TestPushes() {
    }

    static Push push(int payloadBytes) {
        return push("instance", payloadBytes);
    }

    static Push push(String instance, int payloadBytes) {
        return new Push(1_700_000_000_123L, instance, ALICE, 5_000, false, new byte[payloadBytes]);
    }

    static void offer(PushQueue queue, int number) {
        IntStream.range(0, number).forEach(i -> queue.offer(push(0)));
    }

    static List<Long> sequences(List<Push> pushes) {
        return pushes.stream().map(Push::sequence).collect(Collectors.toList());
    }

    /** What a collector answers that takes every push of a batch; the body is as the plugin sends it. */
    static String acknowledgement(InputStream body) throws IOException {
        try (InputStream plain = new GZIPInputStream(body)) {
            String batch = new String(plain.readAllBytes(), StandardCharsets.UTF_8);
            int pushes = batch.split("\"client_instance_id\":", -1).length - 1;
            return "{\"accepted\":" + pushes + ",\"duplicates\":0,\"rejected\":[]}";
        }
    }

    /** That a ledger adds up. */
    static boolean balanced(Ledger ledger) {
        long dropped = ledger.dropped().values().stream().mapToLong(Long::longValue).sum();
        return ledger.accepted() == ledger.delivered() + ledger.queued() + dropped;
    }
}
