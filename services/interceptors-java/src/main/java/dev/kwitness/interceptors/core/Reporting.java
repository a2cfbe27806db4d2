package dev.kwitness.interceptors.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * What the process reports, from its first client on: the settings, the clients, and the threads that close windows
 * and carry them to the collector. Both are daemons.
 */
public final class Reporting {
    /** Names the file of the settings; without it a client may do so by {@link #SETTINGS_KEY}. */
    private static final String SETTINGS_VARIABLE = "KWITNESS_INTERCEPTORS";
    /** Key of a client's configuration. */
    public static final String SETTINGS_KEY = "kwitness.interceptors";

    private static final String OFF_VARIABLE = "KWITNESS_OFF";
    private static final long LOOK_MS = 1_000;
    private static final int LONGEST_REASON = 256;
    private static final Map<String, Long> NOT_INTERCEPTED = new TreeMap<>();
    private static final Map<String, Long> NOT_THROUGH_OBSERVER = new TreeMap<>();
    private static final Map<String, String> UNUSABLE = new TreeMap<>();

    private static volatile Reporting process;

    private final String file;
    private final Source source = new Source(CoarseClock.step());
    private final EventQueue queue = new EventQueue();
    private final WindowWriter writer = new WindowWriter(source, queue);
    private final Directive directive = new Directive();
    private final Reporter reporter = new Reporter(
        source, queue, writer, this::settings, this::writeState, directive);
    private final List<Client> clients = new ArrayList<>();
    private int opened;
    private byte[] seen;
    private volatile Settings settings;
    private long closedUntilMs;
    private Plan plan;
    /** What clients do with headers by; null where they do nothing. */
    private Settings acting;

    private Reporting(String file) {
        this.file = file;
    }

    /** Whether nothing is to be done, whatever else is set. Read before anything else. */
    public static boolean isOff() {
        return "1".equals(System.getenv(OFF_VARIABLE));
    }

    /** Whether the environment names settings. */
    public static boolean hasSettings() {
        return Source.variable(SETTINGS_VARIABLE) != null;
    }

    /** The client that counts for a new one of Kafka's; {@link Client#NONE} where nothing is to be counted. */
    public static Client open(Side side, ClientIdentity identity, String file) {
        Reporting reporting = isOff() ? null : started(file);
        return reporting == null ? Client.NONE : reporting.add(side, identity);
    }

    /** Whether the classes of a profile are to be left alone now. */
    public static boolean isSuspended() {
        Reporting reporting = process;
        Settings now = reporting == null ? null : reporting.settings;
        return now == null || reporting.directive.suspends(now);
    }

    /** Which topics are intercepted now. */
    public static Predicate<String> selection() {
        Reporting reporting = process;
        Settings now = reporting == null ? null : reporting.settings;
        return now == null ? topic -> true : now::selects;
    }

    /** The classes of the application that are interceptors by the settings in force. */
    public static List<Custom> customs() {
        Reporting reporting = isOff() ? null : started(null);
        Settings now = reporting == null ? null : reporting.settings;
        List<Custom> customs = new ArrayList<>();
        boolean first = true;
        if (now != null) {
            for (Settings.Entry entry : now.interceptors) {
                if (entry.className == null) {
                    first = false;
                } else {
                    customs.add(new Custom(entry.name, entry.className, entry.settings, first));
                }
            }
        }
        return customs;
    }

    /** What of a client's configuration is changed, so that it connects to the observer of its pod. */
    public static Map<String, String> connecting(Map<String, ?> configuration) {
        Reporting reporting = isOff() ? null : started(null);
        Settings now = reporting == null ? null : reporting.settings;
        if (now == null || now.throughObserver == null || reporting.directive.suspends(now)) {
            return Collections.emptyMap();
        }
        ThroughObserver.Way way = now.throughObserver.way(configuration);
        if (way.reason != null) {
            synchronized (NOT_THROUGH_OBSERVER) {
                NOT_THROUGH_OBSERVER.merge(way.reason, 1L, Long::sum);
            }
        }
        return way.changes;
    }

    /** A client gets no interceptors, for this reason. */
    public static void notIntercepted(String reason) {
        synchronized (NOT_INTERCEPTED) {
            NOT_INTERCEPTED.merge(reason, 1L, Long::sum);
        }
        started(null);
    }

    /** An interceptor of the settings could not be made. */
    public static void unusable(String interceptor, String reason) {
        String kept = reason.substring(0, Math.min(reason.length(), LONGEST_REASON));
        String before;
        synchronized (UNUSABLE) {
            before = UNUSABLE.put(interceptor, kept);
        }
        if (!kept.equals(before)) {
            Log.warn("interceptor " + interceptor + " is left out: " + kept);
        }
    }

    private static synchronized Reporting started(String named) {
        String file = hasSettings() ? Source.variable(SETTINGS_VARIABLE) : named;
        if (process == null && file != null) {
            Reporting reporting = new Reporting(file);
            reporting.look();
            reporting.start();
            process = reporting;
        }
        return process;
    }

    private void start() {
        daemon("kwitness-windows", this::closeWindows).start();
        Thread sender = daemon("kwitness-reporter", reporter);
        sender.start();
        Runtime.getRuntime().addShutdownHook(daemon("kwitness-end", () -> end(sender)));
    }

    private static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        // Not that of the application, which would be kept as long as we are.
        thread.setContextClassLoader(Reporting.class.getClassLoader());
        // The application's own handler may end the process.
        thread.setUncaughtExceptionHandler((ended, defect) -> Log.warn(name + " has ended: " + defect));
        return thread;
    }

    private Client add(Side side, ClientIdentity identity) {
        synchronized (clients) {
            Settings now = settings;
            if (now == null || clients.size() >= now.mostClients) {
                notIntercepted(now == null ? "no_settings" : "too_many_clients");
                return Client.NONE;
            }
            opened++;
            Client client = new Client(side, opened, identity);
            client.follow(plan, CoarseClock.nowMs());
            client.act(acting);
            clients.add(client);
            return client;
        }
    }

    private Settings settings() {
        return settings;
    }

    /** Whether somebody is told of what is counted. */
    private boolean isReported(Settings now) {
        return now.collector != null && source.pod != null;
    }

    private void closeWindows() {
        long lookedMs = 0;
        while (true) {
            try {
                TimeUnit.MILLISECONDS.sleep(CoarseClock.STEP_MS);
                long nowMs = CoarseClock.step();
                if (Math.abs(nowMs - lookedMs) >= LOOK_MS) {
                    lookedMs = nowMs;
                    look();
                }
                turn(nowMs);
            } catch (InterruptedException notFromUs) {
                // It ends with the process: what is counted must be closed as long as clients count.
                continue;
            } catch (Throwable defect) {
                Log.warn("a window could not be closed; please report this: " + defect);
            }
        }
    }

    /** Follow the settings, where the file has changed, and the collector's directive. */
    private void look() {
        read();
        follow(settings);
    }

    /** Read the settings again, where the file has changed; what is no settings is said once. */
    private void read() {
        byte[] content;
        try {
            content = Files.readAllBytes(Paths.get(file));
        } catch (IOException | RuntimeException away) {
            if (seen == null) {
                seen = new byte[0];
                Log.warn(file + " cannot be read, so that nothing is counted until it can: " + away);
            }
            return;
        }
        if (!Arrays.equals(content, seen)) {
            seen = content;
            try {
                settings = Settings.parse(content);
            } catch (IllegalArgumentException refused) {
                Log.warn(file + " is not used, what was before stays in force: " + refused.getMessage());
            }
        }
    }

    private void follow(Settings now) {
        if (now == null) {
            return;
        }
        boolean suspended = directive.suspends(now);
        boolean counts = isReported(now) && !suspended;
        synchronized (clients) {
            Settings acts = suspended ? null : now;
            if (acting != acts) {
                acting = acts;
                clients.forEach(client -> client.act(acts));
            }
            if (counts ? plan != null && plan.settings == now : plan == null) {
                return;
            }
            Plan before = plan;
            plan = counts ? new Plan(now) : null;
            long nowMs = CoarseClock.nowMs();
            closedUntilMs = nowMs;
            Map<Client, Tallies.Closed> ended = new LinkedHashMap<>();
            for (Client client : clients) {
                Tallies.Closed closed = client.follow(plan, nowMs);
                if (closed != null) {
                    ended.put(client, closed);
                }
            }
            if (before != null) {
                writer.write(before.settings, ended);
            }
            writer.queued(nowMs);
        }
    }

    private void turn(long nowMs) {
        synchronized (clients) {
            if (plan == null) {
                clients.removeIf(Client::isClosed);
                writer.queued(nowMs);
                return;
            }
            long untilMs = nowMs - Math.floorMod(nowMs, plan.settings.windowMs);
            boolean anyClosed = clients.stream().anyMatch(Client::isClosed);
            if (untilMs > closedUntilMs || anyClosed) {
                write(Math.max(untilMs, closedUntilMs), nowMs);
            }
        }
    }

    /** Close windows that end until then, and all of clients that are closed. */
    private void write(long untilMs, long nowMs) {
        Map<Client, Tallies.Closed> ended = new LinkedHashMap<>();
        for (Client client : new ArrayList<>(clients)) {
            boolean last = client.isClosed();
            Tallies.Closed closed = last ? client.follow(null, nowMs) : client.close(untilMs, nowMs);
            if (closed != null) {
                ended.put(client, closed);
            }
            if (last) {
                clients.remove(client);
            }
        }
        writer.write(plan.settings, ended);
        writer.queued(untilMs);
        closedUntilMs = untilMs;
    }

    private void end(Thread sender) {
        Settings now = settings;
        if (now == null || !isReported(now)) {
            return;
        }
        long withinMs = source.endWithinMs;
        long startMs = nowMs();
        try {
            // The application closes its clients in a hook of its own, or leaves them open.
            while (hasOpenClients() && nowMs() - startMs < withinMs / 2) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            synchronized (clients) {
                clients.forEach(Client::close);
                if (plan != null) {
                    write(CoarseClock.step(), CoarseClock.nowMs());
                }
            }
            reporter.end();
            // 0 would wait without end.
            sender.join(Math.max(1, startMs + withinMs - nowMs()));
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private static long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private boolean hasOpenClients() {
        synchronized (clients) {
            return clients.stream().anyMatch(client -> !client.isClosed());
        }
    }

    private void writeState(Json state) {
        Settings now = settings;
        List<Json.Body> sides = new ArrayList<>();
        synchronized (clients) {
            for (Side side : Side.values()) {
                long number = clients.stream().filter(client -> client.side == side).count();
                sides.add(one -> one.put("side", side.word).put("clients", number));
            }
        }
        state.put("settings", now == null ? "" : now.hash).put("suspended", now != null && directive.suspends(now))
            .put("lacks_identity_key", now != null && now.identity.lacksKey()).putObjects("clients", sides);
        synchronized (NOT_INTERCEPTED) {
            state.putNumbers("not_intercepted", NOT_INTERCEPTED);
        }
        synchronized (NOT_THROUGH_OBSERVER) {
            state.putNumbers("not_through_observer", NOT_THROUGH_OBSERVER);
        }
        synchronized (UNUSABLE) {
            // The settings may name others since.
            UNUSABLE.keySet().removeIf(name -> now == null || !now.names(name));
            state.putObject("unusable", all -> UNUSABLE.forEach(all::put));
        }
    }

    /** A class of the application that a profile names as an interceptor. */
    public static final class Custom {
        public final String name;
        public final String className;
        /** Added to the client's configuration as this class sees it. */
        public final Map<String, String> settings;
        /** Whether it comes before what counts. */
        public final boolean first;

        private Custom(String name, String className, Map<String, String> settings, boolean first) {
            this.name = name;
            this.className = className;
            this.settings = settings;
            this.first = first;
        }
    }
}
