package dev.kwitness.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** {@code DemoClient producer|consumer}: configured by the environment, see {@link Settings}; ends on SIGTERM. */
public final class DemoClient {
    private static final int USAGE = 2;
    private static final long CLOSE_SECONDS = 20;

    private DemoClient() {
    }

    /** Run one client until the process is asked to end. */
    public static void main(String[] arguments) throws InterruptedException {
        String role = arguments.length == 1 ? arguments[0] : "";
        if (!role.equals("producer") && !role.equals("consumer")) {
            System.err.println("usage: DemoClient producer|consumer");
            System.exit(USAGE);
        }
        Settings settings = null;
        try {
            settings = Settings.read(System.getenv());
        } catch (IllegalArgumentException wrong) {
            System.err.println(wrong.getMessage());
            System.exit(USAGE);
        }
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        // The process stays until the client is closed: closing sends the last, terminating push.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop.countDown();
            try {
                closed.await(CLOSE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
            }
        }, "close"));
        Progress progress = new Progress(settings.kafka().getProperty("client.id"));
        try {
            if (role.equals("producer")) {
                DemoProducer.run(settings, stop, progress);
            } else {
                DemoConsumer.run(settings, stop, progress);
            }
        } finally {
            closed.countDown();
        }
    }
}
