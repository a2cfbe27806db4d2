package dev.kwitness.broker;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a collector answered, or that it did not, and what that means for the batch. */
final class Answer {
    /** What to do with the batch. */
    enum Verdict { DELIVERED, RETRY, RETRY_SLOWLY, TOO_LARGE, REFUSED }

    static final long NO_HINT = -1;

    private static final int NO_STATUS = -1;
    private static final Set<Integer> FINAL = Set.of(400, 415, 422);
    // Tokens rotate and routes come up late; the data is worth keeping meanwhile.
    private static final Set<Integer> SLOW = Set.of(401, 403, 404, 405, 407);
    private static final Pattern ACCEPTED = Pattern.compile("\"accepted\"\\s*:\\s*(\\d{1,9})\\b");
    private static final Pattern DUPLICATES = Pattern.compile("\"duplicates\"\\s*:\\s*(\\d{1,9})\\b");
    // In a JSON text a quote inside a string is escaped, so this finds keys only; nothing but rejected pushes has it.
    private static final Pattern REJECTED = Pattern.compile("\"seq\"\\s*:");

    private final int status;
    private final String text;
    private final long retryAfterMs;
    private final boolean stranger;

    private Answer(int status, String text, long retryAfterMs, boolean stranger) {
        this.status = status;
        this.text = text;
        this.retryAfterMs = retryAfterMs;
        this.stranger = stranger;
    }

    /** An HTTP answer; the hint is in milliseconds or {@link #NO_HINT}. */
    static Answer of(int status, String body, long retryAfterMs) {
        return new Answer(status, body, retryAfterMs, false);
    }

    /** There was no HTTP answer. */
    static Answer failed(String reason) {
        return new Answer(NO_STATUS, reason, NO_HINT, false);
    }

    /**
     * The same answer to a batch of so many pushes. One that does not account for each of them acknowledges nothing: a
     * login page or a default backend on the way says 200, too.
     */
    Answer forPushes(int pushes) {
        boolean accounts = count(ACCEPTED) + count(DUPLICATES) + rejected() == pushes;
        return status != 200 || accounts ? this : new Answer(status, text, retryAfterMs, true);
    }

    private long count(Pattern field) {
        Matcher matcher = field.matcher(text);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    Verdict verdict() {
        if (status == 200) {
            return stranger ? Verdict.RETRY_SLOWLY : Verdict.DELIVERED;
        }
        if (status == 413) {
            return Verdict.TOO_LARGE;
        }
        if (FINAL.contains(status)) {
            return Verdict.REFUSED;
        }
        // A redirect is not followed: it would carry the token to another host. Other statuses of success are not the
        // collector's: whoever gives them has not promised to keep the batch.
        return SLOW.contains(status) || (status >= 200 && status < 400) ? Verdict.RETRY_SLOWLY : Verdict.RETRY;
    }

    /** How long the collector asks to wait, in milliseconds, or {@link #NO_HINT}. */
    long retryAfterMs() {
        return retryAfterMs;
    }

    /** How many pushes of a delivered batch the collector named as never acceptable. */
    int rejected() {
        Matcher matcher = REJECTED.matcher(text);
        int number = 0;
        while (matcher.find()) {
            number++;
        }
        return number;
    }

    /** For log lines: the status and the beginning of the text. */
    @Override
    public String toString() {
        String shortened = text.length() > 300 ? text.substring(0, 300) + "..." : text;
        String oneLine = shortened.replaceAll("\\p{Cntrl}+", " ");
        if (status == NO_STATUS) {
            return oneLine;
        }
        String doubt = stranger ? ", which does not account for the pushes sent, so it is no collector's:" : "";
        return "HTTP " + status + doubt + " " + oneLine;
    }
}
