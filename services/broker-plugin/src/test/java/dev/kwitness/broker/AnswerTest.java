package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerTest {
    @ParameterizedTest
    @CsvSource({
        "200, DELIVERED", "202, RETRY_SLOWLY", "204, RETRY_SLOWLY", "301, RETRY_SLOWLY", "400, REFUSED",
        "401, RETRY_SLOWLY", "403, RETRY_SLOWLY", "404, RETRY_SLOWLY", "408, RETRY", "413, TOO_LARGE", "415, REFUSED",
        "422, REFUSED", "429, RETRY", "500, RETRY", "502, RETRY", "503, RETRY", "504, RETRY",
    })
    void aStatusDecidesWhatBecomesOfTheBatch(int status, Answer.Verdict verdict) {
        assertEquals(verdict, Answer.of(status, "", Answer.NO_HINT).verdict());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "<html>Please sign in</html>", "{}", "{\"accepted\":0,\"duplicates\":0,\"rejected\":[]}",
        "{\"accepted\":4,\"duplicates\":0,\"rejected\":[]}",
        "{\"accepted\":1,\"duplicates\":1,\"rejected\":[]}",
    })
    void a200ThatDoesNotAccountForThreePushesAcknowledgesNone(String body) {
        Answer answer = Answer.of(200, body, Answer.NO_HINT).forPushes(3);
        assertEquals(Answer.Verdict.RETRY_SLOWLY, answer.verdict());
        assertTrue(answer.toString().startsWith("HTTP 200, which does not account"), answer.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "{\"accepted\":3,\"duplicates\":0,\"rejected\":[]}", "{\"accepted\" : 1, \"duplicates\" : 2}",
        "{\"accepted\":1,\"duplicates\":1,\"rejected\":[{\"seq\":7,\"message\":\"\\\"accepted\\\":9\"}]}",
    })
    void anAnswerThatAccountsForEachPushIsAnAcknowledgement(String body) {
        assertEquals(Answer.Verdict.DELIVERED, Answer.of(200, body, Answer.NO_HINT).forPushes(3).verdict());
    }

    @Test
    void aRefusalNeedsNoAccount() {
        assertEquals(Answer.Verdict.TOO_LARGE, Answer.of(413, "", Answer.NO_HINT).forPushes(3).verdict());
    }

    @Test
    void noAnswerMeansTryAgain() {
        assertEquals(Answer.Verdict.RETRY, Answer.failed("connection refused").verdict());
    }

    @Test
    void rejectedPushesAreCountedWhateverTheirMessagesSay() {
        String body = "{\"accepted\":1,\"duplicates\":0,\"rejected\":["
            + "{\"seq\":4,\"reason\":\"X\",\"message\":\"not \\\"seq\\\": a number\"},"
            + "{\"reason\":\"Y\",\"seq\" : 5,\"message\":\"seq\"}]}";
        assertEquals(2, Answer.of(200, body, Answer.NO_HINT).rejected());
        assertEquals(0, Answer.of(200, "{\"accepted\":2,\"duplicates\":0,\"rejected\":[]}", 0).rejected());
    }

    @Test
    void whatTheCollectorSaysIsLoggedOnOneLineAndShortened() {
        String logged = Answer.of(500, "a\r\nb" + "x".repeat(1_000), Answer.NO_HINT).toString();
        assertTrue(logged.startsWith("HTTP 500 a bxxx"), logged);
        assertTrue(logged.length() < 400, logged);
    }

    @Test
    void retryAfterIsReadAsSecondsOrDate() {
        assertEquals(7_000, CollectorClient.retryAfterMs(" 7 "));
        assertEquals(Answer.NO_HINT, CollectorClient.retryAfterMs(null));
        assertEquals(Answer.NO_HINT, CollectorClient.retryAfterMs(""));
        assertEquals(Answer.NO_HINT, CollectorClient.retryAfterMs("soon"));
        assertEquals(Answer.NO_HINT, CollectorClient.retryAfterMs("99999999999999999999"));
        String inAMinute =
            DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC).plusMinutes(1));
        long wait = CollectorClient.retryAfterMs(inAMinute);
        assertTrue(wait > 50_000 && wait <= 60_000, "waits " + wait);
    }

    @Test
    void waitsDoubleUpToTheirBoundAndHonourTheCollector() {
        Backoff backoff = new Backoff(100, 1_000);
        Answer failed = Answer.failed("refused");
        assertBetween(50, 100, backoff.next(failed));
        assertBetween(100, 200, backoff.next(failed));
        assertBetween(200, 400, backoff.next(failed));
        assertBetween(400, 800, backoff.next(failed));
        assertBetween(500, 1_000, backoff.next(failed));
        assertBetween(300, 400, backoff.next(Answer.of(503, "", 300)));
        assertBetween(1_000, 1_100, backoff.next(Answer.of(503, "", 86_400_000)));
        backoff.reset();
        assertBetween(500, 1_000, backoff.next(Answer.of(401, "", Answer.NO_HINT)));
    }

    private static void assertBetween(long low, long high, long found) {
        assertTrue(low <= found && found <= high, found + " is not between " + low + " and " + high);
    }
}
