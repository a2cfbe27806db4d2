package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.List;

/** The headers of one record, judged by the registers. */
public final class JudgedHeaders {
    final String topic;
    private final HeaderRules rules;
    private final List<Judged> judged = new ArrayList<>();
    private Judged last;

    JudgedHeaders(HeaderRules rules, String topic) {
        this.rules = rules;
        this.topic = topic;
    }

    /** The next header; whether a producer is to remove it. */
    public boolean add(String key, byte[] value) {
        HeaderRule rule = rules.of(key);
        int problems = rule.problems(value);
        warn(rule, key, problems);
        last = new Judged(key, value, rule, problems, rules.countsValues(key, rule));
        judged.add(last);
        return rule.removes(problems);
    }

    /** The last one was removed. */
    public void removed() {
        last.isRemoved = true;
    }

    /** There are no more headers. */
    void end() {
        for (HeaderRule rule : rules.required) {
            if (!has(rule.name)) {
                int problems = HeaderProblem.MISSING.bit();
                warn(rule, rule.name, problems);
                judged.add(new Judged(rule.name, null, rule, problems, false));
            }
        }
    }

    List<Judged> judged() {
        return judged;
    }

    private boolean has(String key) {
        for (Judged one : judged) {
            if (one.key.equals(key)) {
                return true;
            }
        }
        return false;
    }

    private void warn(HeaderRule rule, String key, int problems) {
        if (problems != 0 && rule.policy == HeaderPolicy.WARN) {
            rules.warnings.say(topic, key, problems);
        }
    }

    /** One header, or a required one that the record has not. */
    static final class Judged {
        final String key;
        final byte[] value;
        final boolean registered;
        final int problems;
        final boolean countsValue;
        boolean isRemoved;

        private Judged(String key, byte[] value, HeaderRule rule, int problems, boolean countsValue) {
            this.key = key;
            this.value = value;
            this.registered = rule.registered;
            this.problems = problems;
            this.countsValue = countsValue;
        }

        boolean isMissing() {
            return HeaderProblem.MISSING.isIn(problems);
        }
    }
}
