package dev.kwitness.interceptors.core;

import java.util.Map;
import java.util.TreeMap;

/** Everything that is counted of one client by one plan. Not safe for several threads. */
final class Tallies {
    final Plan plan;
    final Windows<Sent> sends;
    final Windows<TopicTally> topics;
    final Windows<KeyTally> keys;
    Hook onSend = new Hook("on_send");
    Hook onAcknowledgement = new Hook("on_acknowledgement");
    Hook onConsume = new Hook("on_consume");
    Hook onCommit = new Hook("on_commit");
    /** The application says times itself: they are not those of sending. */
    volatile boolean ownTimestamps;

    Tallies(Plan plan, long nowMs) {
        Settings settings = plan.settings;
        this.plan = plan;
        sends = new Windows<>(Sent::new, settings::selects, settings.windowMs, settings.mostTopics, nowMs);
        topics = new Windows<>(TopicTally::new, settings::selects, settings.windowMs, settings.mostTopics, nowMs);
        keys = plan.keysWindowMs == 0 ? null
            : new Windows<>(KeyTally::new, settings::selects, plan.keysWindowMs, settings.mostTopics, nowMs);
    }

    Closed close(long untilMs) {
        return close(untilMs, untilMs);
    }

    Closed close(long untilMs, long keysUntilMs) {
        TreeMap<Long, Map<String, TopicTally>> ended = topics.close(untilMs);
        sends.close(untilMs).forEach((start, window) -> {
            Map<String, TopicTally> into = ended.computeIfAbsent(start, none -> new TreeMap<>());
            window.forEach((topic, sent) -> {
                TopicTally tally = into.computeIfAbsent(topic, none -> new TopicTally());
                tally.sent += sent.records;
                if (sent.ownTimestamps > 0) {
                    TopicTally.count(tally.anomalies, "own_timestamp", sent.ownTimestamps);
                }
            });
        });
        Closed closed = new Closed(
            plan, ended, keys == null ? new TreeMap<>() : keys.close(keysUntilMs),
            new Hook[] {onSend, onAcknowledgement, onConsume, onCommit});
        if (!ended.isEmpty()) {
            onSend = new Hook(onSend.name);
            onAcknowledgement = new Hook(onAcknowledgement.name);
            onConsume = new Hook(onConsume.name);
            onCommit = new Hook(onCommit.name);
        }
        return closed;
    }

    Hook hook(String name) {
        for (Hook hook : new Hook[] {onSend, onAcknowledgement, onConsume}) {
            if (hook.name.equals(name)) {
                return hook;
            }
        }
        return onCommit;
    }

    /** What an application sends to one topic. */
    static final class Sent {
        long records;
        long ownTimestamps;
    }

    /** Windows that ended. */
    static final class Closed {
        final Plan plan;
        final TreeMap<Long, Map<String, TopicTally>> topics;
        final TreeMap<Long, Map<String, KeyTally>> keys;
        /** Calls since the windows before. */
        final Hook[] hooks;

        private Closed(
                Plan plan, TreeMap<Long, Map<String, TopicTally>> topics, TreeMap<Long, Map<String, KeyTally>> keys,
                Hook[] hooks) {
            this.plan = plan;
            this.topics = topics;
            this.keys = keys;
            this.hooks = hooks;
        }
    }
}
