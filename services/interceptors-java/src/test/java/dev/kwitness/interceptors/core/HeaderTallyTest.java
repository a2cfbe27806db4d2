package dev.kwitness.interceptors.core;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Collections;
import org.junit.jupiter.api.Test;

class HeaderTallyTest {
    private final HeaderTally tally = new HeaderTally();

    @Test
    void keysBeyondThoseWithRowsShareOneWithoutAName() {
        for (int key = 0; key < HeaderTally.MOST_ROWS + 10; key++) {
            add("orders", "{}", "key-" + key, "abc");
        }
        add("orders", "{}", "key-1", "abc");

        assertEquals(HeaderTally.MOST_ROWS, tally.topics.get("orders").keys.size());
        assertEquals(2, tally.topics.get("orders").keys.get("key-1").headers);
        assertEquals(10, tally.overflowed.headers);
        assertEquals(30, tally.overflowed.bytes);
        assertEquals(HeaderTally.MOST_ROWS + 1, HeaderRows.of(tally).size());
    }

    @Test
    void topicsWithoutAnyHeaderTakeARowToo() {
        for (int topic = 0; topic < HeaderTally.MOST_ROWS; topic++) {
            tally.add(judged("topic-" + topic, "{}"));
        }
        add("another", "{}", "key", "abc");
        add("topic-0", "{}", "key", "abc");
        add("topic-0", "{}", "second", "abc");

        assertEquals(HeaderTally.MOST_ROWS + 1, HeaderRows.of(tally).size());
        assertEquals(Collections.singleton("key"), tally.topics.get("topic-0").keys.keySet());
        assertEquals(2, tally.overflowed.headers);
    }

    @Test
    void valuesBeyondThoseOfARowAreCountedAsLeftOut() {
        String rules = "{\"keys\":[{\"name\":\"a\",\"type\":\"String\"}],\"values_of\":[\"a\"]}";
        for (int value = 0; value < HeaderCounts.MOST_VALUES + 3; value++) {
            add("orders", rules, "a", "value-" + value);
        }
        add("orders", rules, "a", "value-0");
        add("orders", rules, "a", String.join("", Collections.nCopies(65, "x")));

        HeaderCounts counts = tally.topics.get("orders").keys.get("a");
        assertEquals(HeaderCounts.MOST_VALUES, counts.values.size());
        assertEquals(2, counts.values.get("value-0"));
        assertEquals(4, counts.valuesLeftOut);
    }

    @Test
    void longKeysAreCutBetweenCharacters() {
        String character = "\ud83d\udd11";
        String key = String.join("", Collections.nCopies(128, character));
        add("orders", "{}", key + "1", "x");
        add("orders", "{}", key + "2", "x");

        assertEquals(2, tally.topics.get("orders").keys.get(key).headers);
    }

    @Test
    void whatIsMissingIsNoHeader() {
        tally.add(judged("orders", "{\"keys\":[{\"name\":\"a\",\"type\":\"String\",\"required\":true}]}"));

        HeaderCounts counts = tally.topics.get("orders").keys.get("a");
        assertEquals(1, counts.problems[HeaderProblem.MISSING.ordinal()]);
        assertEquals(0, counts.headers);
        assertNull(tally.overflowed);
        assertFalse(counts.values.containsKey(""));
    }

    private void add(String topic, String rules, String key, String value) {
        JudgedHeaders record = new JudgedHeaders(rules(rules), topic);
        record.add(key, value.getBytes(UTF_8));
        record.end();
        tally.add(record);
    }

    private static JudgedHeaders judged(String topic, String rules) {
        JudgedHeaders record = new JudgedHeaders(rules(rules), topic);
        record.end();
        return record;
    }

    private static HeaderRules rules(String json) {
        return ClientTest.settings("{\"name\":\"h\",\"type\":\"Headers\"}", "\"headers\":" + json + ",").headers;
    }
}
