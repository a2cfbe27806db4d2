package dev.kwitness.interceptors.core;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The thread that carries what is queued to the collector, and says every few seconds that it is alive. */
final class Reporter implements Runnable {
    private static final String SCHEMA = "kwitness.interceptor_events/1";
    private static final long HEARTBEAT_MS = 5_000;

    private final Source source;
    private final EventQueue queue;
    private final Supplier<Settings> settings;
    /** Writes the rest of the state. */
    private final Json.Body state;
    private final WindowWriter windows;
    private final Directive directive;
    private final CollectorClient client = new CollectorClient();
    private final Pace pace = new Pace();
    private volatile boolean ends;
    /** Something was settled by the last answer, which nobody was told of. */
    private volatile boolean hasNews;
    /** The collector that answered first at a URL; only it can acknowledge. */
    private String acknowledgingUrl;
    private String acknowledging;

    Reporter(
            Source source, EventQueue queue, WindowWriter windows, Supplier<Settings> settings, Json.Body state,
            Directive directive) {
        this.source = source;
        this.queue = queue;
        this.windows = windows;
        this.settings = settings;
        this.state = state;
        this.directive = directive;
    }

    @Override
    public void run() {
        while (!ends || !queue.isEmpty()) {
            try {
                queue.await(ends || hasNews ? 0 : HEARTBEAT_MS);
                Thread.sleep(report(false));
            } catch (InterruptedException notFromUs) {
                // It ends with the process.
                continue;
            }
        }
        report(true);
    }

    /** Send what is left and a last word, then end. */
    void end() {
        ends = true;
        synchronized (queue) {
            queue.notifyAll();
        }
    }

    /** Send one request; how long to wait before the next one, in milliseconds. */
    private long report(boolean last) {
        Settings now = settings.get();
        if (now == null || now.collector == null || source.pod == null) {
            return Pace.LONGEST_WAIT_MS;
        }
        hasNews = false;
        List<Row> batch = queue.send(pace.most());
        String reason;
        boolean slowly = false;
        try {
            int owner = Owner.of(source.pod, now.collector.replicas);
            CollectorClient.Answer answer = client.post(now.collector, owner, body(now, batch, last));
            if (answer.status == 200) {
                Verdicts verdicts = acknowledged(now.collector, owner, answer.text);
                if (verdicts != null) {
                    return settle(verdicts, batch.size());
                }
                slowly = true;
            } else if (isUnreadable(answer.status)) {
                if (batch.size() <= 1) {
                    queue.giveUp(answer.status == 413 ? "too_large" : "refused");
                } else {
                    pace.halve(batch.size());
                }
            } else {
                slowly = answer.status < 500 && answer.status != 421;
            }
            reason = "HTTP " + answer.status;
        } catch (Throwable failure) {
            reason = failure.toString();
        }
        queue.comeBack();
        if (!pace.fails()) {
            Log.warn("the collector takes nothing and is tried again: " + reason);
        }
        return pace.failed(slowly);
    }

    private static boolean isUnreadable(int status) {
        return status == 400 || status == 413 || status == 415 || status == 422;
    }

    /** What it says, where it is that collector and that replica; null where somebody else answers. */
    private Verdicts acknowledged(Settings.Collector collector, int owner, String text) {
        Verdicts verdicts = Verdicts.parse(text);
        if (verdicts == null || verdicts.replica != owner) {
            return null;
        }
        if (collector.url.equals(acknowledgingUrl) && !verdicts.collector.equals(acknowledging)) {
            return null;
        }
        acknowledgingUrl = collector.url;
        acknowledging = verdicts.collector;
        return verdicts;
    }

    private long settle(Verdicts verdicts, int sent) {
        pace.succeeded();
        directive.follow(verdicts);
        int again = queue.settle(verdicts);
        // Who is killed before it says so leaves these in doubt.
        hasNews = sent > again;
        return again == 0 ? 0 : Pace.bounded(verdicts.retryAfterMs);
    }

    /** The head, and a line for each row. */
    private byte[] body(Settings now, List<Row> batch, boolean last) throws IOException {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        List<Json.Body> rows = new ArrayList<>();
        List<String> totals = new ArrayList<>();
        for (Row row : batch) {
            byte[] line = row.line();
            if (row.isTotals()) {
                totals.add(new String(line, StandardCharsets.UTF_8));
            } else {
                rows.add(one -> one.put("seq", row.seq).put("topic", row.topic).put("key", row.key)
                    .put("bytes", line.length));
                lines.write(line);
                lines.write('\n');
            }
        }
        long settled = queue.settled();
        String head = Json.object(4_096, object -> {
            object.put("schema", SCHEMA).put("source", source.name()).put("epoch", source.epochMs)
                .put("cluster_id", now.clusterId)
                .putObject("profile", profile -> profile.put("namespace", now.namespace).put("name", now.name))
                .put("runtime", "java").put("reporter", source.reporter).put("process_id", source.processId)
                .put("container", source.container);
            Map<String, String> workload = now.workload;
            if (workload != null) {
                object.putObject("workload", made -> workload.forEach(made::put));
            }
            object.putObject("attributes", all -> now.attributes.forEach(all::put))
                .put("version", source.version).put("settled", settled)
                .put("sent_at_ms", System.currentTimeMillis()).putObjects("rows", rows).putWritten("totals", totals)
                .putObject("state", report -> {
                    state.write(report);
                    report.putObject("ledger", queue::write)
                        .put("sealed_until_ms", windows.sealedUntilMs(settled)).put("ended", last);
                });
        });
        ByteArrayOutputStream body = new ByteArrayOutputStream(head.length() + lines.size() + 1);
        body.write(head.getBytes(StandardCharsets.UTF_8));
        body.write('\n');
        lines.writeTo(body);
        return body.toByteArray();
    }
}
