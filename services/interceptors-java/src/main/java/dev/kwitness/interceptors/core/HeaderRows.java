package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.List;

/** What rows of kwitness.headers say of the headers of one client within one window. */
final class HeaderRows {
    private HeaderRows() {
    }

    static List<Json.Body> of(HeaderTally tally) {
        List<Json.Body> rows = new ArrayList<>();
        tally.topics.forEach((topic, of) -> {
            if (of.keys.isEmpty()) {
                rows.add(object -> records(object, topic, of.records));
            }
            of.keys.forEach((key, counts) -> rows.add(object -> {
                records(object, topic, of.records);
                object.put("key", key);
                counts(object, counts);
            }));
        });
        if (tally.overflowed != null) {
            rows.add(object -> counts(object.put("overflowed", true), tally.overflowed));
        }
        return rows;
    }

    /** Interceptors look at every record that they are called for. */
    private static void records(Json object, String topic, long records) {
        object.put("topic", topic).put("records_passed", records).put("records_looked_at", records);
    }

    private static void counts(Json object, HeaderCounts counts) {
        object.put("registered", counts.registered).put("headers", counts.headers).put("bytes", counts.bytes);
        for (HeaderProblem problem : HeaderProblem.values()) {
            long number = counts.problems[problem.ordinal()];
            // Which headers are not registered says the row.
            if (number > 0 && problem != HeaderProblem.UNREGISTERED) {
                object.put(problem.word, number);
            }
        }
        object.put("removed", counts.removed);
        if (!counts.values.isEmpty() || counts.valuesLeftOut > 0) {
            List<Json.Body> values = new ArrayList<>();
            counts.values.forEach(
                (value, records) -> values.add(one -> one.put("value", value).put("records", records)));
            object.putObjects("values", values).put("values_left_out", counts.valuesLeftOut);
        }
    }
}
