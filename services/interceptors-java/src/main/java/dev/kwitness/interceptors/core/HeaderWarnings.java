package dev.kwitness.interceptors.core;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Says what is wrong with headers where the policy is Warn: each key and problem once a minute. */
final class HeaderWarnings {
    private static final long SAID_EVERY_NS = TimeUnit.MINUTES.toNanos(1);
    /** Of keys and problems; no more are said. */
    private static final int MOST = 256;

    private final Map<String, Long> said = new ConcurrentHashMap<>();

    void say(String topic, String key, int problems) {
        for (HeaderProblem problem : HeaderProblem.values()) {
            if (problem.isIn(problems) && isDue(problem.word + " " + key)) {
                Log.warn("the header " + key + " of a record of " + topic + " is " + problem.word.replace('_', ' '));
            }
        }
    }

    private boolean isDue(String what) {
        long now = System.nanoTime();
        Long before = said.get(what);
        if (before == null ? said.size() >= MOST : now - before < SAID_EVERY_NS) {
            return false;
        }
        said.put(what, now);
        return true;
    }
}
