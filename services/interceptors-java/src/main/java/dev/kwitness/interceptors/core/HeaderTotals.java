package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The headers of all clients of the process in one window, summed up by side, topic, key and client id. */
final class HeaderTotals {
    /** Before a key, since a header may have an empty one and what overflowed has none. */
    private static final String KEY = "=";

    private final Map<List<String>, HeaderCounts> sums = new TreeMap<>(Totals::compare);

    void add(Client client, HeaderTally tally) {
        tally.topics.forEach((topic, of) -> of.keys.forEach((key, counts) -> add(client, topic, KEY + key, counts)));
        if (tally.overflowed != null) {
            add(client, null, null, tally.overflowed);
        }
    }

    List<Json.Body> entries() {
        List<Json.Body> all = new ArrayList<>();
        sums.forEach((names, sum) -> all.add(object -> object.put("side", names.get(0)).put("topic", names.get(1))
            .put("key", names.get(2) == null ? null : names.get(2).substring(KEY.length()))
            .put("client_id", names.get(3)).put("registered", sum.registered).put("headers", sum.headers)
            .put("bytes", sum.bytes).putNumbers("problems", problems(sum)).put("removed", sum.removed)));
        return all;
    }

    private void add(Client client, String topic, String key, HeaderCounts counts) {
        List<String> names = Arrays.asList(
            client.side.word, topic, key, client.reported().clientId, counts.registered ? "registered" : null);
        sums.computeIfAbsent(names, none -> new HeaderCounts(counts.registered)).add(counts);
    }

    private static Map<String, Long> problems(HeaderCounts counts) {
        Map<String, Long> found = new TreeMap<>();
        for (HeaderProblem problem : HeaderProblem.values()) {
            if (counts.problems[problem.ordinal()] > 0) {
                found.put(problem.word, counts.problems[problem.ordinal()]);
            }
        }
        return found;
    }
}
