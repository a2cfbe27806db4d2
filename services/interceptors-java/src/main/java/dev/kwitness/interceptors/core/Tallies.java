package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Everything that is counted of one client by one plan. Not safe for several threads. */
final class Tallies {
    final Plan plan;
    final Windows<Sent> sends;
    final Windows<TopicTally> topics;
    final Windows<KeyTally> keys;
    /** Of all topics in one, null where headers are not judged. */
    final Windows<HeaderTally> headers;
    Hook onSend;
    Hook onAcknowledgement;
    Hook onConsume;
    Hook onCommit;
    Hook onSendHeaders;
    Hook onConsumeHeaders;
    /** The application says times itself: they are not those of sending. */
    volatile boolean ownTimestamps;

    /** Hooks of the application's interceptors, by both names. */
    private final Map<List<String>, Hook> customs = new LinkedHashMap<>();
    private long closedUntilMs;

    Tallies(Plan plan, long nowMs) {
        Settings settings = plan.settings;
        this.plan = plan;
        String ours = plan.hooksOf();
        onSend = new Hook(ours, "on_send");
        onAcknowledgement = new Hook(ours, "on_acknowledgement");
        onConsume = new Hook(ours, "on_consume");
        onCommit = new Hook(ours, "on_commit");
        String ofHeaders = plan.headerHooksOf();
        onSendHeaders = new Hook(ofHeaders, onSend.name);
        onConsumeHeaders = new Hook(ofHeaders, onConsume.name);
        closedUntilMs = nowMs;
        sends = new Windows<>(Sent::new, settings::selects, settings.windowMs, settings.mostTopics, nowMs);
        topics = new Windows<>(TopicTally::new, settings::selects, settings.windowMs, settings.mostTopics, nowMs);
        keys = plan.keysWindowMs == 0 ? null
            : new Windows<>(KeyTally::new, settings::selects, plan.keysWindowMs, settings.mostTopics, nowMs);
        headers = plan.headers ? new Windows<>(HeaderTally::new, all -> true, settings.windowMs, 1, nowMs) : null;
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
        boolean tellsOfClient = !ended.isEmpty() || untilMs > closedUntilMs;
        closedUntilMs = Math.max(closedUntilMs, untilMs);
        return new Closed(
            plan, ended, keys == null ? new TreeMap<>() : keys.close(keysUntilMs),
            headers == null ? new TreeMap<>() : headers.close(untilMs), clientStart(ended, untilMs),
            tellsOfClient ? takeHooks() : null);
    }

    /** The window that is told of the client as a whole: the last one with topics, or the one that ended last. */
    private long clientStart(TreeMap<Long, ?> ended, long untilMs) {
        long last = Math.min(untilMs, CoarseClock.nowMs()) - 1;
        return ended.isEmpty() ? last - Math.floorMod(last, sends.lengthMs()) : ended.lastKey();
    }

    private List<Hook> takeHooks() {
        List<Hook> taken = new ArrayList<>(
            Arrays.asList(onSend, onAcknowledgement, onConsume, onCommit, onSendHeaders, onConsumeHeaders));
        taken.addAll(customs.values());
        taken.removeIf(hook -> hook.interceptor == null || hook.calls == 0 && hook.errors == 0);
        onSend = onSend.next();
        onAcknowledgement = onAcknowledgement.next();
        onConsume = onConsume.next();
        onCommit = onCommit.next();
        onSendHeaders = onSendHeaders.next();
        onConsumeHeaders = onConsumeHeaders.next();
        customs.clear();
        return taken;
    }

    Hook custom(String interceptor, String name) {
        return customs.computeIfAbsent(Arrays.asList(interceptor, name), none -> new Hook(interceptor, name));
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
        final TreeMap<Long, Map<String, HeaderTally>> headers;
        /** Start of the window that tells of the client as a whole. */
        final long clientStart;
        /** What was called since the windows before; null where it is not time to tell of the client as a whole. */
        final List<Hook> hooks;

        private Closed(
                Plan plan, TreeMap<Long, Map<String, TopicTally>> topics, TreeMap<Long, Map<String, KeyTally>> keys,
                TreeMap<Long, Map<String, HeaderTally>> headers, long clientStart, List<Hook> hooks) {
            this.plan = plan;
            this.topics = topics;
            this.keys = keys;
            this.headers = headers;
            this.clientStart = clientStart;
            this.hooks = hooks;
        }
    }
}
