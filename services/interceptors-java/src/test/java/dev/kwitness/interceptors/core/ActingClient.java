package dev.kwitness.interceptors.core;

import java.util.Map;
import java.util.TreeMap;

/** A client that does what settings say, for tests of what needs classes of Kafka. */
public final class ActingClient {
    public final Client client;

    /** With interceptors and further settings as JSON has them. */
    public ActingClient(Side side, String interceptors, String more) {
        Settings settings = ClientTest.settings(interceptors, more);
        client = new Client(side, 1, new ClientIdentity("shop-client", null, null, null, "2.8.2"));
        client.follow(new Plan(settings), System.currentTimeMillis());
        client.act(settings);
    }

    /** What was not as it should be, by reason, and errors of hooks; it counts no more then. */
    public Map<String, Long> anomalies(String topic) {
        Map<String, Long> found = new TreeMap<>();
        Tallies.Closed closed = client.close(Long.MAX_VALUE, Long.MAX_VALUE);
        closed.topics.values().forEach(window -> {
            if (window.containsKey(topic)) {
                window.get(topic).anomalies.forEach((reason, number) -> found.merge(reason, number, Long::sum));
            }
        });
        closed.hooks.forEach(hook -> {
            if (hook.errors > 0) {
                found.merge("errors", hook.errors, Long::sum);
            }
        });
        return found;
    }

    /** What was counted of the headers of a topic; it counts no more then. */
    public Map<String, String> headers(String topic) {
        Map<String, String> found = new TreeMap<>();
        client.close(Long.MAX_VALUE, Long.MAX_VALUE).headers.values().forEach(window -> window.values().forEach(
            tally -> tally.topics.get(topic).keys.forEach((key, counts) -> found.put(
                key, counts.headers + " of " + counts.bytes + " bytes, " + counts.removed + " removed"))));
        return found;
    }
}
