package dev.kwitness.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class PushQueueTest {
    private static final long BYTES = 1L << 20;

    @Test
    void batchesComeInTheOrderOfArrival() throws InterruptedException {
        PushQueue queue = new PushQueue(BYTES, 100);
        TestPushes.offer(queue, 5);
        assertEquals(List.of(1L, 2L, 3L), TestPushes.sequences(queue.take(3, BYTES, 0)));
    }

    @Test
    void aBatchStaysWithinItsBytesButHoldsAtLeastOnePush() throws InterruptedException {
        PushQueue queue = new PushQueue(BYTES, 100);
        queue.offer(TestPushes.push(5_000));
        queue.offer(TestPushes.push(10));
        assertEquals(List.of(1L), TestPushes.sequences(queue.take(10, 100, 0)));
    }

    @Test
    void theOldestGivesWayWhenTheNumberIsReached() throws InterruptedException {
        PushQueue queue = new PushQueue(BYTES, 3);
        TestPushes.offer(queue, 5);
        assertEquals(Map.of(DropReason.QUEUE_FULL, 2L), queue.ledger().dropped());
        assertEquals(List.of(3L, 4L, 5L), TestPushes.sequences(queue.take(10, BYTES, 0)));
    }

    @Test
    void theOldestGiveWayWhenTheBytesAreReached() throws InterruptedException {
        int size = TestPushes.push(1_000).sizeInBytes();
        PushQueue queue = new PushQueue(3L * size, 100);
        for (int i = 0; i < 4; i++) {
            queue.offer(TestPushes.push(1_000));
        }
        assertEquals(List.of(2L, 3L, 4L), TestPushes.sequences(queue.take(10, BYTES, 0)));
    }

    @Test
    void aBatchInFlightIsNeverGivenUpForNewerPushes() throws InterruptedException {
        PushQueue queue = new PushQueue(BYTES, 3);
        TestPushes.offer(queue, 3);
        List<Push> inFlight = queue.take(2, BYTES, 0);
        TestPushes.offer(queue, 3);
        queue.settleDelivered(inFlight, 0);
        assertEquals(2, queue.ledger().delivered());
        assertEquals(List.of(6L), TestPushes.sequences(queue.take(10, BYTES, 0)));
    }

    @Test
    void aPushLargerThanTheQueueIsDroppedAlone() {
        PushQueue queue = new PushQueue(2_000, 100);
        queue.offer(TestPushes.push(100));
        queue.offer(TestPushes.push(3_000));
        assertEquals(Map.of(DropReason.TOO_LARGE, 1L), queue.ledger().dropped());
        assertEquals(1, queue.ledger().queued());
    }

    @Test
    void aReleasedBatchIsTakenAgainInOrder() throws InterruptedException {
        PushQueue queue = new PushQueue(BYTES, 100);
        TestPushes.offer(queue, 4);
        queue.take(3, BYTES, 0);
        queue.release();
        assertEquals(List.of(1L, 2L, 3L, 4L), TestPushes.sequences(queue.take(10, BYTES, 0)));
    }

    @Test
    void rejectedPushesAreCountedApart() throws InterruptedException {
        PushQueue queue = new PushQueue(BYTES, 100);
        TestPushes.offer(queue, 3);
        queue.settleDelivered(queue.take(3, BYTES, 0), 1);
        assertEquals(2, queue.ledger().delivered());
        assertEquals(Map.of(DropReason.REJECTED, 1L), queue.ledger().dropped());
    }

    @Test
    void aClosedQueueHandsOutWhatIsLeftAndThenNothing() throws InterruptedException {
        PushQueue queue = new PushQueue(BYTES, 100);
        TestPushes.offer(queue, 1);
        queue.close();
        TestPushes.offer(queue, 1);
        queue.settleDelivered(queue.take(10, BYTES, 60_000), 0);
        assertTrue(queue.take(10, BYTES, 60_000).isEmpty());
        assertEquals(Map.of(DropReason.CLOSED, 1L), queue.ledger().dropped());
    }

    @Test
    void aFullBatchDoesNotWaitForTheLingerTime() {
        PushQueue queue = new PushQueue(BYTES, 100);
        TestPushes.offer(queue, 2);
        Assertions.assertTimeout(Duration.ofSeconds(5), () -> queue.take(2, BYTES, 60_000));
    }

    @Test
    void theLedgerAddsUpAfterAnyHistory() throws InterruptedException {
        for (int run = 0; run < 50; run++) {
            PushQueue queue = new PushQueue(20_000, 30);
            ThreadLocalRandom random = ThreadLocalRandom.current();
            for (int step = 0; step < 200; step++) {
                queue.offer(TestPushes.push(random.nextInt(2_000)));
                if (random.nextInt(8) == 0) {
                    List<Push> batch = queue.take(1 + random.nextInt(10), 1 + random.nextInt(5_000), 0);
                    assertTrue(TestPushes.balanced(queue.ledger()));
                    answer(queue, batch, random.nextInt(4));
                }
                assertTrue(TestPushes.balanced(queue.ledger()));
                assertTrue(queue.ledger().queuedBytes() <= 20_000);
            }
            queue.abandon();
            assertTrue(TestPushes.balanced(queue.ledger()));
            assertEquals(0, queue.ledger().queued());
            assertEquals(0, queue.ledger().queuedBytes());
        }
    }

    private static void answer(PushQueue queue, List<Push> batch, int kind) {
        if (kind == 0) {
            queue.settleDelivered(batch, 1);
        } else if (kind == 1) {
            queue.settleDropped(batch, DropReason.REFUSED);
        } else if (kind == 2) {
            queue.settleDelivered(batch.subList(0, batch.size() / 2), 0);
            queue.release();
        } else {
            queue.release();
        }
    }
}
