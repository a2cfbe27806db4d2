package dev.kwitness.demo;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** One line when connected, one every ten seconds, one at the end. */
final class Progress {
    private static final long EVERY_NANOS = Duration.ofSeconds(10).toNanos();

    private final String who;
    private final AtomicBoolean connected = new AtomicBoolean();
    private final AtomicLong saidAt = new AtomicLong(System.nanoTime());
    private final AtomicLong complainedAt = new AtomicLong(System.nanoTime() - EVERY_NANOS);

    Progress(String who) {
        this.who = who;
    }

    void connected(String servers) {
        if (connected.compareAndSet(false, true)) {
            say("connected to " + servers);
        }
    }

    void count(String first, long firstNumber, String second, long secondNumber) {
        long last = saidAt.get();
        long now = System.nanoTime();
        if (now - last > EVERY_NANOS && saidAt.compareAndSet(last, now)) {
            say(first + " " + firstNumber + ", " + second + " " + secondNumber);
        }
    }

    void trouble(Exception error) {
        long last = complainedAt.get();
        long now = System.nanoTime();
        if (now - last > EVERY_NANOS && complainedAt.compareAndSet(last, now)) {
            say("trouble: " + error);
        }
    }

    void end(String first, long firstNumber, String second, long secondNumber) {
        say("closed; " + first + " " + firstNumber + ", " + second + " " + secondNumber);
    }

    private void say(String text) {
        System.out.println(who + ": " + text);
    }
}
