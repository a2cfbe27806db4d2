package dev.kwitness.broker;

/** Why a push that the broker handed over did not reach the collector. */
enum DropReason {
    QUEUE_FULL("queue_full", "The queue was full and this was the oldest push that was not being sent."),
    TOO_LARGE("too_large", "The push alone is larger than the whole queue, or the collector answered HTTP 413 to it."),
    REFUSED("refused", "The collector answered HTTP 400, 415 or 422 to it: it will never be accepted."),
    REJECTED("rejected", "The collector accepted the batch but named this push as never acceptable."),
    CLOSED("closed", "The broker stopped before the push was delivered."),
    PASSIVE("passive", "The plugin is passive and this broker cannot hide the telemetry APIs (Kafka 4.2 and later)."),
    INTERNAL("internal", "A defect in the plugin; the broker's log has it.");

    private final String label;
    private final String help;

    DropReason(String label, String help) {
        this.label = label;
        this.help = help;
    }

    /** The word used in JMX and in the heartbeat. */
    String label() {
        return label;
    }

    String help() {
        return help;
    }
}
