package dev.kwitness.broker;

import java.util.concurrent.ThreadLocalRandom;

/** How long to wait before the next try: doubling, half of it random, bounded. */
final class Backoff {
    private final long firstMs;
    private final long maxMs;
    private int failures;

    Backoff(long firstMs, long maxMs) {
        this.firstMs = firstMs;
        this.maxMs = Math.max(firstMs, maxMs);
    }

    /** Milliseconds to wait after one more failure. */
    long next(Answer answer) {
        failures++;
        if (answer.retryAfterMs() != Answer.NO_HINT) {
            // Everyone got the same hint: a little randomness keeps them from coming back together.
            return Math.min(maxMs, answer.retryAfterMs()) + random(firstMs);
        }
        if (answer.verdict() == Answer.Verdict.RETRY_SLOWLY) {
            return spread(maxMs);
        }
        return spread(Math.min(maxMs, firstMs << Math.min(failures - 1, 20)));
    }

    /** Failures since the last success. */
    int failures() {
        return failures;
    }

    void reset() {
        failures = 0;
    }

    private static long spread(long delayMs) {
        return delayMs - random(delayMs / 2);
    }

    private static long random(long boundMs) {
        return ThreadLocalRandom.current().nextLong(boundMs + 1);
    }
}
