package dev.kwitness.interceptors.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DirectiveTest {
    private static final String AUDIT = "{\"name\":\"a\",\"type\":\"Audit\"}";

    private final Settings settings = ClientTest.settings(AUDIT, "");
    private final Directive directive = new Directive();

    @Test
    void settingsCountAsLongAsNothingIsSaid() {
        directive.follow(answer(""));

        assertFalse(directive.suspends(settings));
    }

    @Test
    void whatTheCollectorSaysCountsUntilTheSettingsThatSaySoAreInForce() {
        Settings later = ClientTest.settings(AUDIT, "\"topics\":[\"orders\"],");

        directive.follow(answer(said("\"" + later.hash + "\"", "true")));

        assertTrue(directive.suspends(settings));
        assertFalse(directive.suspends(later));
    }

    @Test
    void anAnswerWithoutADirectiveTakesNoneBack() {
        directive.follow(answer(said("\"0123456789abcdef\"", "true")));
        directive.follow(answer(""));

        assertTrue(directive.suspends(settings));
    }

    @Test
    void halfADirectiveIsNoneAndItsAnswerStillCounts() {
        Verdicts answer = answer(said("4711", "true"));
        directive.follow(answer);
        directive.follow(answer(said("\"0123456789abcdef\"", "1")));

        assertFalse(directive.suspends(settings));
        assertTrue(answer.isTaken(3));
        assertEquals(0, answer.replica);
    }

    private static String said(String settings, String suspend) {
        return ",\"directives\":{\"settings\":" + settings + ",\"suspend\":" + suspend + "}";
    }

    private static Verdicts answer(String more) {
        return Verdicts.parse("{\"protocol\":2,\"collector\":\"n/c\",\"replica\":0,\"accepted\":\"1-3\"" + more + "}");
    }
}
