package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The headers of one record, judged by the registers. */
public final class JudgedHeaders {
    /** The native header that the compact set travels in. */
    public static final String SET = HeaderSetReader.HEADER;

    final String topic;
    private final HeaderRules rules;
    private final List<Judged> judged = new ArrayList<>();
    /** Compact sets whose keys are still to be evaluated; null where there is none. */
    private List<byte[]> sets;
    private HeaderSets evaluatedSets;
    private Judged last;

    JudgedHeaders(HeaderRules rules, String topic) {
        this.rules = rules;
        this.topic = topic;
    }

    /** The next header; whether a producer is to remove it. */
    public boolean add(String key, byte[] value) {
        if (rules.readsSets() && key.equals(HeaderSetReader.HEADER)) {
            sets = sets == null ? new ArrayList<>() : sets;
            sets.add(value);
            return false;
        }
        HeaderRule rule = rules.of(key);
        last = evaluate(key, value, rule, 0, true);
        return rule.removes(last.problems);
    }

    /** The last one was removed. */
    public void removed() {
        last.isRemoved = true;
    }

    /**
     * The compact sets that a producer is to send, after all headers were added; null where they may stay as they are.
     */
    public List<byte[]> sets() {
        if (sets == null) {
            return null;
        }
        if (evaluatedSets == null) {
            Set<String> own = keys();
            evaluatedSets = new HeaderSets(this, rules);
            sets.forEach(set -> evaluatedSets.add(set, own));
        }
        return evaluatedSets.denied.isEmpty() ? null : evaluatedSets.left;
    }

    /** The sets were replaced by these. */
    public void setsReplaced() {
        evaluatedSets.denied.forEach(header -> header.isRemoved = true);
    }

    /** There are no more headers. */
    void end() {
        sets();
        if (evaluatedSets != null && !evaluatedSets.isComplete) {
            return;
        }
        if (rules.required.isEmpty()) {
            return;
        }
        Set<String> present = keys();
        for (HeaderRule rule : rules.required) {
            if (!present.contains(rule.name)) {
                evaluate(rule.name, null, rule, HeaderProblem.MISSING.bit(), false);
            }
        }
    }

    /** Evaluate a header; these problems are known, and of those of a missing one alone. */
    Judged evaluate(String key, byte[] value, HeaderRule rule, int known, boolean mayCountValue) {
        int problems = HeaderProblem.MISSING.isIn(known) ? known : known | rule.problems(value);
        warn(rule, key, problems);
        Judged header = new Judged(key, value, rule, problems, mayCountValue && rules.countsValues(key, rule));
        judged.add(header);
        return header;
    }

    List<Judged> judged() {
        return judged;
    }

    private Set<String> keys() {
        Set<String> keys = new HashSet<>();
        judged.forEach(header -> keys.add(header.key));
        return keys;
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
