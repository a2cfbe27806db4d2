package dev.kwitness.interceptors.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class WindowsTest {
    private final Windows<long[]> windows = new Windows<>(() -> new long[1], topic -> true, 10, 2, 100);

    @Test
    void aWindowHasEndedWithItsLastMillisecond() {
        count(100, 1);
        count(109, 2);
        count(125, 4);

        assertEquals("{}", closed(109));
        assertEquals("{100=3}", closed(110));
        assertEquals("{120=4}", closed(1_000));
    }

    @Test
    void aClockThatIsSetBackOpensNoWindowAgain() {
        count(149, 1);
        assertEquals("{140=1}", closed(150));

        count(3, 2);
        count(141, 4);
        assertEquals("{}", closed(140));
        count(142, 8);
        count(151, 16);

        assertEquals("{150=30}", closed(1_000));
    }

    private void count(long timeMs, long number) {
        windows.at(timeMs, "orders")[0] += number;
    }

    /** What was counted in the windows that end until then, by their start. */
    private String closed(long untilMs) {
        TreeMap<Long, Long> counts = new TreeMap<>();
        for (Map.Entry<Long, Map<String, long[]>> window : windows.close(untilMs).entrySet()) {
            counts.put(window.getKey(), window.getValue().get("orders")[0]);
        }
        return counts.toString();
    }
}
