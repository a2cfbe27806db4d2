package dev.kwitness.interceptors.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTextTest {
    @Test
    void valuesOfAllKindsAreRead() {
        Map<?, ?> read = (Map<?, ?>) JsonText.parse(
            " {\"a\": [1, -2.5, true, false, null], \"b\\u00e9\\n\": {\"c\": \"\"}} ");

        assertEquals(Arrays.asList(1L, -2.5, true, false, null), read.get("a"));
        assertEquals("", ((Map<?, ?>) read.get("b\u00e9\n")).get("c"));
    }

    @Test
    void whatIsNoJsonIsRefusedWithThePlace() {
        String deep = new String(new char[100]).replace('\0', '[');
        for (String text : new String[] {"", "{", "[1,]", "{\"a\" 1}", "tru", "\"\\x\"", "\"a", "1 2", "{1:2}", deep}) {
            IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> JsonText.parse(text), text);
            assertEquals(true, refused.getMessage().startsWith("no JSON: "), refused.getMessage());
        }
    }
}
