package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a collector answered: what became of each number, and what is to be done at once. */
final class Verdicts {
    private static final int LONGEST_REASON = 64;

    final String collector;
    final long replica;
    final long retryAfterMs;
    /** The settings that a directive is from, null where there is none. */
    final String directiveSettings;
    final boolean directiveSuspends;

    private final List<long[]> taken = new ArrayList<>();
    private final Map<Long, String> rejected = new HashMap<>();

    private Verdicts(Map<?, ?> body) {
        collector = (String) body.get("collector");
        replica = (Long) body.get("replica");
        Object wait = body.get("retry_after_ms");
        retryAfterMs = wait instanceof Long ? (Long) wait : 0;
        addRanges(body.get("accepted"));
        addRanges(body.get("duplicates"));
        Object refused = body.get("rejected");
        for (Object one : refused instanceof List ? (List<?>) refused : Collections.emptyList()) {
            Map<?, ?> judged = members(one);
            if (!(judged.get("reason") instanceof String && judged.get("seq") instanceof Long)) {
                throw new IllegalArgumentException("what is rejected has a number and a reason");
            }
            String reason = (String) judged.get("reason");
            rejected.put((Long) judged.get("seq"), reason.substring(0, Math.min(reason.length(), LONGEST_REASON)));
        }
        Map<?, ?> directives = members(body.get("directives"));
        Object settings = directives.get("settings");
        Object suspend = directives.get("suspend");
        directiveSettings = settings instanceof String && suspend instanceof Boolean ? (String) settings : null;
        directiveSuspends = Boolean.TRUE.equals(suspend);
    }

    /** Read an answer; null when it is none of a collector's. */
    static Verdicts parse(String text) {
        try {
            Map<?, ?> body = members(JsonText.parse(text));
            boolean readable = body.get("protocol") instanceof Long && (Long) body.get("protocol") >= 2
                && body.get("collector") instanceof String && body.get("replica") instanceof Long;
            return readable ? new Verdicts(body) : null;
        } catch (IllegalArgumentException | ClassCastException nothing) {
            return null;
        }
    }

    boolean isTaken(long seq) {
        for (long[] range : taken) {
            if (seq >= range[0] && seq <= range[1]) {
                return true;
            }
        }
        return false;
    }

    /** Why the collector will never take it; null where it may. */
    String rejected(long seq) {
        return rejected.get(seq);
    }

    /** Those of an object; none where it is something else. */
    private static Map<?, ?> members(Object value) {
        return value instanceof Map ? (Map<?, ?>) value : Collections.emptyMap();
    }

    /** {@code 1-340,342}. */
    private void addRanges(Object text) {
        for (String part : text == null ? new String[0] : ((String) text).split(",")) {
            if (!part.isEmpty()) {
                int dash = part.indexOf('-');
                long first = Long.parseLong(dash < 0 ? part : part.substring(0, dash));
                taken.add(new long[] {first, dash < 0 ? first : Long.parseLong(part.substring(dash + 1))});
            }
        }
    }
}
