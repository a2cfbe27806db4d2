package dev.kwitness.interceptors.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class EventQueueTest {
    private static final String LONG = new String(new char[1_000]).replace('\0', 'x');
    private static final long ROOM = 1 << 20;

    private final EventQueue queue = new EventQueue();

    @Test
    void theOldestGoesWhenItIsFullButForWhatIsOnItsWay() throws IOException {
        push(3, ROOM);
        assertEquals("[1, 2]", numbers(queue.send(2)));
        push(3, 4_600);

        queue.comeBack();
        assertEquals("[1, 2, 5, 6]", numbers(queue.send(9)));
        assertEquals(2, ledger().at("/dropped/queue_full").asLong());
        assertCloses();
    }

    @Test
    void whatIsNotListedIsSentAgain() throws IOException {
        push(6, ROOM);
        queue.send(5);

        assertEquals(1, queue.settle(answer("\"accepted\":\"1-2\",\"duplicates\":\"4\",\"later\":\"3\","
            + "\"rejected\":[{\"seq\":5,\"reason\":\"BadRow\",\"message\":\"m\"}]")));

        assertEquals("[3, 6]", numbers(queue.send(9)));
        assertEquals(3, queue.settled());
        assertEquals(3, ledger().get("delivered").asLong());
        assertEquals(1, ledger().at("/dropped/BadRow").asLong());
        assertCloses();
    }

    @Test
    void aSealGoesAfterItsRowsAndNamesThoseThatWereLost() throws IOException {
        push(3, ROOM);
        queue.push(Row.seal(4, "", new Row.Seal(WindowWriter.TOPIC, object -> { }, 1, 3, 3)), ROOM);

        assertEquals("[1, 2, 3]", numbers(queue.send(9)));
        queue.settle(answer("\"accepted\":\"1-2\",\"rejected\":[{\"seq\":3,\"reason\":\"BadRow\"}]"));

        Row seal = queue.send(9).get(0);
        JsonNode written = new ObjectMapper().readTree(seal.line());
        assertEquals(2, written.get("count").asLong());
        assertEquals(1, written.at("/dropped/BadRow").asLong());
    }

    @Test
    void aPageOfSomebodyElseIsNoAnswer() {
        String older = "{\"protocol\":1,\"collector\":\"c\",\"replica\":0}";
        for (String body : new String[] {"<html>", "{}", "null", older}) {
            assertNull(Verdicts.parse(body), body);
        }
    }

    @Test
    void aDirectiveNeedsTheSettingsThatItIsFrom() {
        assertEquals("a", answer("\"directives\":{\"settings\":\"a\",\"suspend\":true}").directiveSettings);
        assertTrue(answer("\"directives\":{\"settings\":\"a\",\"suspend\":true}").directiveSuspends);
        assertNull(answer("\"directives\":{\"suspend\":true}").directiveSettings);
    }

    @Test
    void ownersAreThoseThatTheCollectorComputes() {
        assertEquals(0, Owner.of("team-a/edge-0", 1));
        assertEquals(0, Owner.of("team-a/edge-0", 3));
        assertEquals(2, Owner.of("team-a/edge-1", 3));
        assertEquals(1, Owner.of("shop/kwitness-gateway-front-0", 2));
        assertEquals(3, Owner.of("shop/kwitness-gateway-front-1", 5));
        assertEquals(0, Owner.of("a/b", 16));
    }

    private void push(int rows, long limit) {
        for (int row = 0; row < rows; row++) {
            queue.push(Row.of(queue.next(), WindowWriter.TOPIC, "", LONG), limit);
        }
    }

    private static String numbers(List<Row> rows) {
        return rows.stream().map(row -> row.seq).collect(Collectors.toList()).toString();
    }

    private static Verdicts answer(String members) {
        return Verdicts.parse("{\"protocol\":2,\"collector\":\"n/c\",\"replica\":0," + members + "}");
    }

    private JsonNode ledger() throws IOException {
        return new ObjectMapper().readTree(Json.object(64, queue::write));
    }

    private void assertCloses() throws IOException {
        JsonNode ledger = ledger();
        long dropped = 0;
        for (JsonNode number : ledger.get("dropped")) {
            dropped += number.asLong();
        }
        assertEquals(ledger.get("accepted").asLong(),
            ledger.get("delivered").asLong() + ledger.get("queued").asLong() + dropped);
    }
}
