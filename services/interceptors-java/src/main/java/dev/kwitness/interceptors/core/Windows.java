package dev.kwitness.interceptors.core;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Tallies by window and topic. Windows begin at whole multiples of their length. None that was closed is opened again,
 * also where the clock is set back: the oldest one that may be open has what belongs there. Not safe for several
 * threads.
 *
 * @param <T> what is kept for each topic
 */
final class Windows<T> {
    /** What topics are called that are too many to have a tally of their own; no topic has an empty name. */
    static final String OTHERS = "";

    private final Supplier<T> empty;
    private final Predicate<String> selected;
    private final long lengthMs;
    private final int mostTopics;
    private final TreeMap<Long, Map<String, T>> open = new TreeMap<>();
    private long closedUntilMs;
    private long lastStart = -1;
    private String lastTopic;
    private T last;

    Windows(Supplier<T> empty, Predicate<String> selected, long lengthMs, int mostTopics, long startMs) {
        this.empty = empty;
        this.selected = selected;
        this.lengthMs = lengthMs;
        this.mostTopics = mostTopics;
        this.closedUntilMs = startMs - Math.floorMod(startMs, lengthMs);
    }

    /** The tally of a topic at a time; null where the topic is not intercepted. */
    T at(long timeMs, String topic) {
        long start = Math.max(closedUntilMs, timeMs - Math.floorMod(timeMs, lengthMs));
        if (start == lastStart && topic.equals(lastTopic)) {
            return last;
        }
        last = selected.test(topic) ? find(start, topic) : null;
        lastStart = start;
        lastTopic = topic;
        return last;
    }

    private T find(long start, String topic) {
        Map<String, T> topics = open.computeIfAbsent(start, none -> new HashMap<>());
        String name = topics.containsKey(topic) || topics.size() < mostTopics ? topic : OTHERS;
        return topics.computeIfAbsent(name, none -> empty.get());
    }

    /** Take the windows that end at a time or before it, by their start. */
    TreeMap<Long, Map<String, T>> close(long untilMs) {
        TreeMap<Long, Map<String, T>> closed = new TreeMap<>(open.headMap(untilMs - lengthMs, true));
        open.keySet().removeAll(closed.keySet());
        closedUntilMs = Math.max(closedUntilMs, untilMs - Math.floorMod(untilMs, lengthMs));
        lastStart = -1;
        lastTopic = null;
        last = null;
        return closed;
    }

    long lengthMs() {
        return lengthMs;
    }
}
