package dev.kwitness.interceptors.core;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What waits for the collector, bounded in bytes, and the ledger of it: accepted = delivered + queued + dropped.
 *
 * <p>When it is full the oldest goes, but for what is on its way. Safe for several threads.
 */
final class EventQueue {
    private static final int MOST_ROWS = 4_096;
    /** Of one request; what is left to a mebibyte is for its head. */
    private static final int MOST_BYTES = 768 << 10;

    private final LinkedList<Row> rows = new LinkedList<>();
    private final Map<String, Long> dropped = new TreeMap<>();
    private Map<String, Long> droppedBefore = new TreeMap<>();
    private long bytes;
    private int onTheirWay;
    private long next = 1;
    private long accepted;
    private long delivered;

    /** The number of the next row. */
    synchronized long next() {
        return next;
    }

    synchronized void push(Row row, long limit) {
        next = row.seq + 1;
        accepted += row.isTotals() ? 0 : 1;
        bytes += row.size();
        rows.addLast(row);
        while (bytes > limit && rows.size() > onTheirWay) {
            drop(onTheirWay, "queue_full");
        }
        notifyAll();
    }

    /** The next request, by rising numbers. A seal waits until the rows that it is about are settled. */
    synchronized List<Row> send(int most) {
        List<Row> batch = new ArrayList<>();
        long size = 0;
        for (Row row : rows) {
            size += row.size();
            boolean full = batch.size() >= Math.min(most, MOST_ROWS) || size > MOST_BYTES && !batch.isEmpty();
            if (full || row.seal != null && batch.stream().anyMatch(row.seal::isOf)) {
                break;
            }
            batch.add(row);
        }
        onTheirWay = batch.size();
        return batch;
    }

    /** What was on its way has come to nothing, and is sent again. */
    synchronized void comeBack() {
        onTheirWay = 0;
    }

    /** What was on its way was judged; how many of it are to be sent again. */
    synchronized int settle(Verdicts verdicts) {
        int at = 0;
        int judged = onTheirWay;
        onTheirWay = 0;
        for (int one = 0; one < judged; one++) {
            Row row = rows.get(at);
            String reason = verdicts.rejected(row.seq);
            if (verdicts.isTaken(row.seq)) {
                take(at);
                delivered += row.isTotals() ? 0 : 1;
            } else if (reason != null) {
                drop(at, reason);
            } else {
                at++;
            }
        }
        return at;
    }

    /** Give up what was on its way. */
    synchronized void giveUp(String reason) {
        int lost = onTheirWay;
        onTheirWay = 0;
        for (int one = 0; one < lost; one++) {
            drop(0, reason);
        }
    }

    /** Every number below it is final. */
    synchronized long settled() {
        return rows.isEmpty() ? next : rows.getFirst().seq;
    }

    synchronized boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Wait until there is something to send, or for so long. */
    synchronized void await(long milliseconds) throws InterruptedException {
        if (rows.isEmpty() && milliseconds > 0) {
            wait(milliseconds);
        }
    }

    synchronized void write(Json ledger) {
        long queued = rows.stream().filter(row -> !row.isTotals()).count();
        ledger.put("accepted", accepted).put("delivered", delivered).put("queued", queued)
            .putNumbers("dropped", dropped);
    }

    /** What was dropped since the last time that somebody asked. */
    synchronized Map<String, Long> newlyDropped() {
        Map<String, Long> difference = new TreeMap<>();
        dropped.forEach((reason, number) -> {
            long more = number - droppedBefore.getOrDefault(reason, 0L);
            if (more > 0) {
                difference.put(reason, more);
            }
        });
        droppedBefore = new TreeMap<>(dropped);
        return difference;
    }

    private void drop(int at, String reason) {
        Row row = take(at);
        if (row.isTotals()) {
            return;
        }
        dropped.merge(reason, 1L, Long::sum);
        for (Iterator<Row> waiting = rows.iterator(); row.seal == null && waiting.hasNext();) {
            Row one = waiting.next();
            if (one.seal != null && one.seal.isOf(row)) {
                one.seal.lost(reason);
            }
        }
    }

    private Row take(int at) {
        Row row = rows.remove(at);
        bytes -= row.size();
        return row;
    }
}
