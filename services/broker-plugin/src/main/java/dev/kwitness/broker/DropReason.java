package dev.kwitness.broker;

/** Why a push that the broker handed over did not reach the collector. */
enum DropReason {
    /** The queue was full and this was the oldest push that was not being sent. */
    QUEUE_FULL("queue_full"),
    /** The push alone is larger than the whole queue, or the collector refused it for its size. */
    TOO_LARGE("too_large"),
    /** The collector answered that it will never accept the batch (HTTP 400, 415 or 422). */
    REFUSED("refused"),
    /** The collector accepted the batch but named this push as one that it will never accept. */
    REJECTED("rejected"),
    /** The plugin was closed before the push was delivered. */
    CLOSED("closed"),
    /** A defect in the plugin, with a log line. */
    INTERNAL("internal");

    private final String label;

    DropReason(String label) {
        this.label = label;
    }

    /** The word used in metrics and in the heartbeat. */
    String label() {
        return label;
    }
}
