package dev.kwitness.interceptors.core;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The compact sets of one record: their keys are evaluated after its other headers. */
final class HeaderSets {
    /** Sets that a producer is to send in place of these, where anything is denied. */
    final List<byte[]> left = new ArrayList<>();
    /** Headers of the sets that are not among those, and the sets themselves where they are not. */
    final List<JudgedHeaders.Judged> denied = new ArrayList<>();
    /** False where a set has more keys than were evaluated. */
    boolean isComplete = true;

    private final JudgedHeaders record;
    private final HeaderRules rules;
    private int room = HeaderSetReader.MOST_KEYS;

    HeaderSets(JudgedHeaders record, HeaderRules rules) {
        this.record = record;
        this.rules = rules;
    }

    /** Evaluate a set; of keys that have a header of their own no value is counted. */
    void add(byte[] set, Set<String> own) {
        HeaderSetReader ahead = new HeaderSetReader(set, room);
        while (ahead.next()) {
            // Its problems are known at its end.
        }
        if (HeaderProblem.TOO_LARGE.isIn(ahead.problems)) {
            isComplete = false;
        }
        HeaderRule ofSet = rules.of(HeaderSetReader.HEADER);
        JudgedHeaders.Judged whole = record.evaluate(HeaderSetReader.HEADER, set, ofSet, ahead.problems, true);
        List<JudgedHeaders.Judged> removable = new ArrayList<>();
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        HeaderSetReader reader = new HeaderSetReader(set, room);
        while (reader.next()) {
            String name = rules.name(reader.number);
            HeaderRule rule = rules.ofNumber(reader.number);
            JudgedHeaders.Judged header = record.evaluate(name, reader.value(), rule, 0, !own.contains(name));
            if (rule.removes(header.problems)) {
                removable.add(header);
            } else {
                kept.write(set, reader.start, reader.end - reader.start);
            }
        }
        room -= reader.read();
        if (ofSet.removes(whole.problems)) {
            denied.add(whole);
        } else if (reader.problems != 0 || removable.isEmpty()) {
            left.add(set);
        } else {
            denied.addAll(removable);
            if (kept.size() > 0) {
                left.add(kept.toByteArray());
            }
        }
    }
}
